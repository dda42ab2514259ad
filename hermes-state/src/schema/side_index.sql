-- The full-text index while it is made anew: filled in steps from the messages,
-- then renamed. What is filled already follows the messages through these
-- triggers, whoever writes; messages that are not filled yet come by themselves.
CREATE VIRTUAL TABLE hermes_reindex_words USING fts5(
    content
);
CREATE VIRTUAL TABLE hermes_reindex_trigram USING fts5(
    content,
    tokenize='trigram'
);
CREATE TRIGGER hermes_reindex_delete AFTER DELETE ON messages BEGIN
    DELETE FROM hermes_reindex_words WHERE rowid = old.id;
    DELETE FROM hermes_reindex_trigram WHERE rowid = old.id;
END;
CREATE TRIGGER hermes_reindex_update AFTER UPDATE ON messages
WHEN old.id <= (SELECT CAST(value AS INTEGER) FROM state_meta WHERE key = 'hermes_reindex_progress')
BEGIN
    DELETE FROM hermes_reindex_words WHERE rowid = old.id;
    DELETE FROM hermes_reindex_trigram WHERE rowid = old.id;
    INSERT INTO hermes_reindex_words(rowid, content) VALUES (
        new.id,
        replace(COALESCE(new.content, '') || ' ' || COALESCE(new.tool_name, '') || ' ' || COALESCE(new.tool_calls, ''), char(0), ' ')
    );
    INSERT INTO hermes_reindex_trigram(rowid, content) VALUES (
        new.id,
        replace(COALESCE(new.content, '') || ' ' || COALESCE(new.tool_name, '') || ' ' || COALESCE(new.tool_calls, ''), char(0), ' ')
    );
END;
