-- Changes of agents, keys, policies, rules and mandates, beside what operators did: who allowed it.
--
-- One row for each record of the control topic, also of a change that never took effect. `revision`: its place on that
-- topic, counted from 1; 0 of all other events. The id is made of it, so a record that lands twice shows once. `subject`:
-- the id of the agent, key, policy, rule or mandate. `policy_version`: which version of its policy this made; 0 where it made none.
-- `refusal`: why it never took effect, as every reader of the topic finds; empty where it did. A change that was written
-- twice is made once: the second is void.
--
-- `payload` holds the document whole, without the hash of a key. No list reads it, so a large one costs its place alone.
-- Key, partition and TTL stay what they were: people make these changes, so they are few.
ALTER TABLE control_events
    ADD COLUMN IF NOT EXISTS subject String,
    ADD COLUMN IF NOT EXISTS policy_version UInt32,
    ADD COLUMN IF NOT EXISTS revision UInt64,
    ADD COLUMN IF NOT EXISTS refusal LowCardinality(String);
