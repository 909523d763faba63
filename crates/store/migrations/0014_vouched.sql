-- Commits that programs may run from unasked: the tips when the person trusted the project, and what
-- they had sessions start at since. Separated by spaces; NULL where there is none.
ALTER TABLE projects ADD COLUMN vouched TEXT;
