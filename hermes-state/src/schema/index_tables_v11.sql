-- The full-text index of schema versions 11 to 22: two tables that hold their
-- own copy of the text.
CREATE VIRTUAL TABLE messages_fts USING fts5(
    content
);
CREATE VIRTUAL TABLE messages_fts_trigram USING fts5(
    content,
    tokenize='trigram'
);
