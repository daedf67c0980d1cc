/**
 * A year of decisions and what became of them, made by ClickHouse itself, since no log could bring 100 million in the time
 * of a bench. Fixed are 50 agents, 12 tools and 3 models, of which an agent uses four and one; what differs is how
 * much they do. The same numbers give the same rows.
 *
 * True to shape: ids that sort by time, every column filled as a recorder fills it, three of four allowed, those settled
 * within a minute; one in a hundred delivered twice, one in a thousand made void. Less than true: a payload of 150 bytes
 * where a real one has 3,000, since only the answer to one id reads it.
 */
import type { AuditClient } from '@mandate/audit';

export const YEAR = { tenant: 'acme', fromMs: Date.UTC(2025, 0), toMs: Date.UTC(2026, 0) } as const;

/** So many in one statement: what it sorts and writes fits into memory many times over. */
const ROWS_A_STATEMENT = 1_000_000;

export async function generateYear(
  audit: AuditClient,
  decisions: number,
  tenant: string = YEAR.tenant,
): Promise<void> {
  for (let first = 0; first < decisions; first += ROWS_A_STATEMENT) {
    const rows = Math.min(ROWS_A_STATEMENT, decisions - first);
    await audit.command(decisionsFrom(tenant, numbered(first, rows, decisions), '0'));
    await audit.command(settlementsFrom(tenant, numbered(first, rows, decisions)));
    // What was delivered again, which lies behind on the log.
    await audit.command(
      decisionsFrom(
        tenant,
        `(SELECT * FROM ${numbered(first, rows, decisions)} WHERE n % 100 = 7)`,
        '1000000000',
      ),
    );
  }
  // The marks that a recorder would have set.
  await audit.command(MARKS);
}

const MARKS = `
  INSERT INTO rollup_marks (tenant, hour, touches)
  SELECT tenant, hour, count() FROM (
    SELECT tenant, intDiv(toUnixTimestamp64Milli(decided_at), 3600000) AS hour FROM decisions
    UNION ALL SELECT tenant, intDiv(toUnixTimestamp64Milli(settled_at), 3600000) FROM settlements
  ) GROUP BY tenant, hour`;

/** Each with its time, and what chance decides of it. */
function numbered(first: number, rows: number, ofAll: number): string {
  const stepMs = (YEAR.toMs - YEAR.fromMs) / ofAll;
  return `(
    SELECT number AS n, toInt64(${YEAR.fromMs} + intDiv(n * ${Math.round(stepMs * 1_000)}, 1000)) AS ms, sipHash64(n) AS chance,
      lower(hex(sipHash128(n))) AS hash, chance % 50 AS agent, intDiv(chance, 50) % 5 AS use,
      intDiv(chance, 250) % 100 AS fate, intDiv(chance, 25000) % 1000 AS odds
    FROM numbers(${first}, ${rows})
  )`;
}

const AT = "fromUnixTimestamp64Milli(ms, 'UTC')";
const AGENT = "concat('agent-', toString(agent))";
const CALLS_TOOL = 'use < 4';
const ALLOWED = 'fate < 75';
const CHARGED = `if(${ALLOWED}, 10000 + odds * 100, 0)`;

/** As the schemas' sortableId. */
function idOf(prefix: string, ms: string): string {
  const letters = Array.from(
    { length: 10 },
    (_, at) =>
      `substring('0123456789abcdefghjkmnpqrstvwxyz', bitAnd(bitShiftRight(${ms}, ${45 - 5 * at}), 31) + 1, 1)`,
  );
  return `concat('${prefix}_', ${letters.join(', ')}, substring(hash, 1, 20))`;
}

function decisionsFrom(tenant: string, source: string, laterBy: string): string {
  const columns: Record<string, string> = {
    tenant: `'${tenant}'`,
    id: idOf('dec', 'ms'),
    kind: "'first'",
    action_id: "concat('act_', substring(hash, 5, 16))",
    attempt: '1',
    agent_id: AGENT,
    type: `if(${CALLS_TOOL}, 'tool_call', 'llm_call')`,
    tool: `if(${CALLS_TOOL}, concat('tool_', toString((agent + use) % 12)), '')`,
    model: `if(${CALLS_TOOL}, '', concat('model-', toString(agent % 3)))`,
    verdict: `multiIf(${ALLOWED}, 'ALLOW', fate < 95, 'BLOCK', 'DEFER')`,
    code: `multiIf(${ALLOWED}, 'ALLOWED', fate < 85, 'COST_LIMIT_EXCEEDED', fate < 95, 'RATE_LIMIT_EXCEEDED', 'APPROVAL_REQUIRED')`,
    observed_verdict: "''",
    observed_code: "''",
    mandate_id: "concat('mnd_', toString(agent % 10))",
    charged_micros: CHARGED,
    cumulative_micros: 'toInt64(n)',
    budgets: `if(${ALLOWED}, [('agent', ${AGENT}, 'total', toInt64(0))], [])`,
    reason: `if(${ALLOWED}, 'Within every limit.', concat('The budget of ', ${AGENT}, ' is used up.'))`,
    arguments: `if(${CALLS_TOOL}, concat('{"user":"u', toString(chance % 100000), '","amount":', toString(odds), '}'), '')`,
    principal_id: "concat('user-', toString(chance % 10000))",
    principal_role: "'user'",
    provider: `if(${CALLS_TOOL}, '', 'anthropic')`,
    parent_action_id: "''",
    mandate_hash: "concat('hash-', toString(agent % 10))",
    policies: "[concat('policy-', toString(agent % 10), '@1')]",
    rules: "['everyone']",
    limits: `[('budget', 'agent', ${AGENT}, 'total', toInt64(0), toInt64(odds * 1000), toInt64(1000000))]`,
    trace_id: 'lower(hex(sipHash128(n, 1)))',
    ledger_epoch: "'epoch-1'",
    ledger_sequence: 'n',
    appended_at: AT,
    decided_at: "fromUnixTimestamp64Milli(ms + 1 + odds % 23, 'UTC')",
    void: 'odds = 500',
    log_topic: "'mandate.decisions.v1'",
    log_partition: 'agent % 8',
    log_offset: `n + ${laterBy}`,
    recorded_at: AT,
    payload: `concat('{"event":"action.decided","decision":{"actionId":"act_', substring(hash, 5, 16), '","agentId":"', ${AGENT}, '","ledgerSequence":', toString(n), ',"checks":[]}}')`,
  };
  return insertSelect('decisions', columns, source);
}

function settlementsFrom(tenant: string, source: string): string {
  const columns: Record<string, string> = {
    tenant: `'${tenant}'`,
    id: idOf('stl', '(ms + 60 * odds)'),
    kind: "'settled'",
    action_id: "concat('act_', substring(hash, 5, 16))",
    attempt: '1',
    agent_id: AGENT,
    status: "'success'",
    code: "'SETTLED'",
    delta_micros: '-toInt64(odds * 10)',
    charged_micros: `${CHARGED} - odds * 10`,
    cumulative_micros: 'toInt64(n)',
    late: 'false',
    ledger_epoch: "'epoch-1'",
    ledger_sequence: 'n',
    settled_at: "fromUnixTimestamp64Milli(ms + 60 * odds, 'UTC')",
    void: 'false',
    log_topic: "'mandate.decisions.v1'",
    log_partition: 'agent % 8',
    log_offset: 'n',
    recorded_at: AT,
    payload: `concat('{"event":"action.settled","settlement":{"actionId":"act_', substring(hash, 5, 16), '"}}')`,
  };
  return insertSelect('settlements', columns, `(SELECT * FROM ${source} WHERE ${ALLOWED} AND odds != 500)`);
}

function insertSelect(table: string, columns: Readonly<Record<string, string>>, source: string): string {
  return `INSERT INTO ${table} (${Object.keys(columns).join(', ')})
    SELECT ${Object.values(columns).join(', ')} FROM ${source}`;
}
