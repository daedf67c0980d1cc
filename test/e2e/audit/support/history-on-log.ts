/**
 * Reads the log from its beginning and decides which records count. It follows the rules of the contract, and uses no
 * code of Mandate's readers.
 */
import type { Deliveries } from '@mandate/audit/contract';
import type { Bus } from '@mandate/bus';
import {
  type BudgetAdjusted,
  type Decision,
  type DecisionsRecord,
  type Settlement,
  TOPICS,
} from '@mandate/schemas';
import { type EpochStep, standing } from '@mandate/testing';

/** Returns the history of one tenant. All records of an agent are in one partition, so they are in log order. */
export async function historyOnLog(bus: Bus, tenant: string): Promise<Deliveries> {
  const decisions: { record: Decision; void: boolean }[] = [];
  const settlements: { record: Settlement; void: boolean }[] = [];
  const adjustments: { record: BudgetAdjusted; void: boolean }[] = [];
  for (const { partition } of await bus.ranges(TOPICS.decisions)) {
    const records = await readPartition(bus, partition);
    const stands = standing(records.map(stepOf));
    for (const [place, record] of records.entries()) {
      const isVoid = stands[place] !== true;
      if (record.event === 'action.decided' && record.decision.tenant === tenant)
        decisions.push({ record: record.decision, void: isVoid });
      if (record.event === 'action.settled' && record.settlement.tenant === tenant)
        settlements.push({ record: record.settlement, void: isVoid });
      // An operator's adjustment holds in every epoch.
      if (record.event === 'budget.adjusted' && record.adjustment.tenant === tenant)
        adjustments.push({ record, void: false });
    }
  }
  return { decisions, settlements, adjustments };
}

/** Returns every record that can be read. */
async function readPartition(bus: Bus, partition: number): Promise<DecisionsRecord[]> {
  const range = (await bus.ranges(TOPICS.decisions)).find((range) => range.partition === partition);
  const records: DecisionsRecord[] = [];
  for (let offset = 0; offset < (range?.endOffset ?? 0); offset += 1) {
    const found = await bus.at({ topic: TOPICS.decisions, partition, offset });
    try {
      records.push(JSON.parse(Buffer.from(found?.value ?? []).toString()));
    } catch {
      // If the bytes are not a record, they are ignored.
    }
  }
  return records;
}

/** Returns the fields of a record that decide whether the record is void. */
function stepOf(record: DecisionsRecord): EpochStep {
  switch (record.event) {
    case 'ledger.epoch': {
      const { id, generation } = record.epoch;
      return { begins: { id, ...(generation !== undefined && { generation }) } };
    }
    case 'action.decided':
      return { madeIn: record.decision.ledgerEpoch };
    case 'action.settled':
      return { madeIn: record.settlement.ledgerEpoch };
    default:
      return { madeIn: '' };
  }
}
