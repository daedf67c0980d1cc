-- What an action is about, whatever its kind, and what its decision obliges to.
--
-- `subject`: the tool; the model in its normal form; of another kind of action the field that its kind names
-- (schemas/src/action-kinds.ts). `tool` and `model` stay, each empty where the kind has none. `obligations`: JSON; empty where
-- the decision obliges to nothing.
--
-- Decisions recorded before this migration have the subject that follows from their tool and model. Key, partition and TTL stay what they were.
ALTER TABLE decisions
    ADD COLUMN IF NOT EXISTS subject String DEFAULT if(tool = '', model, tool) CODEC(ZSTD(1)),
    ADD COLUMN IF NOT EXISTS obligations String CODEC(ZSTD(1));
