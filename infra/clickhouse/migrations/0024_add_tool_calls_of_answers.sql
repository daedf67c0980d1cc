-- The calls of tools that the answer of a model asks for, by the name of the tool. An empty name counts all tools without
-- an entry of their own. The list is empty if the outcome reported none.
--
-- Settlements recorded before this migration have an empty list. Key, partition and TTL do not change.
ALTER TABLE settlements
    ADD COLUMN IF NOT EXISTS tool_calls Array(Tuple(tool String, calls UInt32));
