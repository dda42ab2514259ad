-- Of sessions with the same title the one that began last keeps it.
UPDATE sessions SET title = NULL WHERE rowid IN (
    SELECT place FROM (
        SELECT rowid AS place,
            ROW_NUMBER() OVER (PARTITION BY title ORDER BY started_at DESC, rowid DESC) AS number
        FROM sessions WHERE title IS NOT NULL
    ) WHERE number > 1
);
CREATE UNIQUE INDEX IF NOT EXISTS idx_sessions_title_unique ON sessions(title) WHERE title IS NOT NULL;
