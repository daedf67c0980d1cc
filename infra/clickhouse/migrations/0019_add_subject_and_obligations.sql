-- The subject of an action, whatever its kind, and the obligations of its decision.
--
-- `subject` is the tool, or the model in its normal form, or for another kind of action the field that the kind names
-- (schemas/src/action-kinds.ts). `tool` and `model` stay, each empty if the kind has none. `obligations` is JSON;
-- empty if the decision has no obligations.
--
-- For decisions recorded before this migration, the subject follows from their tool and model. Key, partition and TTL
-- do not change.
ALTER TABLE decisions
    ADD COLUMN IF NOT EXISTS subject String DEFAULT if(tool = '', model, tool) CODEC(ZSTD(1)),
    ADD COLUMN IF NOT EXISTS obligations String CODEC(ZSTD(1));
