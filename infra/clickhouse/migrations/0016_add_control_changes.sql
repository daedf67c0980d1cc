-- Changes of agents, keys, policies, rules and grants, beside what operators did: who permitted what.
--
-- There is one row for each record of the control topic, even if its change never took effect. `revision` is its log
-- position on that topic, counted from 1; it is 0 for all other events. The id is made of the revision, so a record
-- that is inserted twice shows once. `subject` is the id of the agent, key, policy, rule or grant. `policy_version`
-- is the version that this change published; 0 if none. `refusal` says why the change never took effect, as every
-- reader of the topic finds; empty if it did. If a change is on the topic twice, the second record is void.
--
-- `payload` has the whole document, without the hash of a key. No list reads it, so a large document costs only its
-- space. Key, partition and TTL do not change: people make these changes, so they are few.
ALTER TABLE control_events
    ADD COLUMN IF NOT EXISTS subject String,
    ADD COLUMN IF NOT EXISTS policy_version UInt32,
    ADD COLUMN IF NOT EXISTS revision UInt64,
    ADD COLUMN IF NOT EXISTS refusal LowCardinality(String);
