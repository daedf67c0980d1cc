/**
 * Writes the records of the audit to the topic of SDKs on the log of a plane, as `POST /v1/audit` does. The records have
 * the same keys as those of the route. So a repeat is always in the same partition, after the first, and the audit keeps
 * the first.
 */
import type { Bus, Outgoing } from '@mandate/bus';
import { isMandateError } from '@mandate/runtime';
import { agentKey, recordHeaders, type SdkRecord, TOPICS } from '@mandate/schemas';
import type { AuditOutput, AuditRecord } from '../audit/audit-output.ts';
import { RecordsRefused } from '../audit/records-refused.ts';
import { inTime } from '../bounded-wait.ts';
import { type KafkaOptions, kafkaLate, kafkaSettings } from './kafka-options.ts';

/**
 * Sends the records of the audit to a plane through Kafka. Any program that may write to the topic can write any
 * record there. So give the right to write only to programs that may report for every tenant and agent.
 *
 * @throws MandateError SDK_MISUSED
 */
export function kafkaOutput(options: KafkaOptions): AuditOutput {
  const { tenant, timeoutMs, open } = kafkaSettings(options);
  let opening: Promise<Bus> | null = null;

  async function append(records: readonly Outgoing[]): Promise<void> {
    opening ??= open();
    const bus = await opening;
    await inTime(timeoutMs, bus.append(TOPICS.sdkRecords, records), () => kafkaLate(timeoutMs));
  }

  /** Returns why Kafka will never accept the record. Null if it has accepted the record. */
  async function refusal(record: Outgoing): Promise<string | null> {
    try {
      await append([record]);
      return null;
    } catch (error) {
      if (!isMandateError(error, 'BUS_MISUSED')) throw error;
      return error.message;
    }
  }

  return {
    name: 'kafka',
    async write(records) {
      const outgoing = records.map((record) => outgoingOf(record, tenant));
      try {
        await append(outgoing);
      } catch (error) {
        // A record is too large for the topic. Repeats of the other records change nothing.
        if (!isMandateError(error, 'BUS_MISUSED')) throw error;
        const refused: string[] = [];
        for (const record of outgoing) {
          const why = await refusal(record);
          if (why !== null) refused.push(why);
        }
        if (refused.length > 0) throw new RecordsRefused(refused.length, refused[0] ?? '');
      }
    },
    async close() {
      const bus = await opening;
      opening = null;
      if (bus !== null) await inTime(timeoutMs, bus.close(), () => kafkaLate(timeoutMs));
    },
  };
}

/** No API key reported the record, so the record names no API key. */
const DECIDED_BY = { keyId: null } as const;

function outgoingOf(record: AuditRecord, tenant: string): Outgoing {
  const [id, made] = sdkRecordOf(record, tenant);
  return {
    key: agentKey(tenant, id),
    value: JSON.stringify(made),
    headers: recordHeaders({ id, event: made.event }, { source: 'sdk', traceparent: null }),
  };
}

function sdkRecordOf(record: AuditRecord, tenant: string): readonly [id: string, SdkRecord] {
  if (record.event === 'action.settled') {
    const settlement = { ...record.settlement, tenant };
    return [settlement.id, { event: 'sdk.settled', decidedBy: DECIDED_BY, settlement }];
  }
  const { decision } = record;
  const action = { ...decision.action, tenant };
  const made: SdkRecord = {
    event: 'sdk.decided',
    decidedBy: DECIDED_BY,
    decision: { ...decision, tenant, action },
  };
  return [decision.id, made];
}
