-- A notice may be about a plan. It goes with the plan's project.
ALTER TABLE notices ADD COLUMN plan_id TEXT;
