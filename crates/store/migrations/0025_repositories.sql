-- The repositories at forges that a project had as remotes when the person trusted it, separated by spaces:
-- `github.com/acme/shop`. Remotes are in a file that agents can write.
ALTER TABLE projects ADD COLUMN repositories TEXT;
