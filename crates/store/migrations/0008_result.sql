-- What a worker said came of its task: the wire's `WorkerReport`, and whether its turn goes on.
ALTER TABLE sessions ADD COLUMN result TEXT NOT NULL DEFAULT 'null'; -- JSON
