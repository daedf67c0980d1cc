/**
 * The data set: tool calls of an airline agent. If the real data set (tau-bench, MIT) is in a folder beside the
 * clone, it is used. Otherwise, a generated set of the same shape is used. A simple loop computes the results that
 * the generated set must give.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ActionRequested } from '@mandate/schemas';
import { generateDataset } from './generate-dataset.ts';
import type { Dataset, ToolCall } from './scenario.ts';

const FOLDER = join(import.meta.dirname, '../../../../shared/data/tau-airline');

export function loadDataset(): Dataset {
  const file = join(FOLDER, 'trajectories.ndjson');
  if (!existsSync(file)) return generateDataset();
  const calls = readFileSync(file, 'utf8').trimEnd().split('\n').flatMap(callsOf);
  const oracle = JSON.parse(readFileSync(join(FOLDER, 'oracle.json'), 'utf8'));
  return {
    origin: 'tau-airline',
    calls,
    tools: Object.keys(oracle.perTool),
    scenarios: oracle.scenarios,
  };
}

function callsOf(line: string): ToolCall[] {
  const { agentId, messages } = JSON.parse(line);
  const calls: ToolCall[] = [];
  for (const message of messages) {
    for (const { function: call } of message.tool_calls ?? []) {
      calls.push({ agentId, tool: call.name, args: JSON.parse(call.arguments) });
    }
  }
  return calls;
}

/**
 * Returns the requests of the data set. The provider's call ids repeat between conversations, so each call gets a new
 * id here.
 *
 * @param agentPrefix the beginning of every agent's id, so that several scenarios can run at the same time
 */
export function requestsOf({ calls }: Dataset, tenant?: string, agentPrefix = ''): ActionRequested[] {
  return calls.map(({ agentId, tool, args }, index) => ({
    event: 'action.requested',
    action: {
      id: `act_${String(index).padStart(5, '0')}`,
      ...(tenant === undefined ? {} : { tenant }),
      agentId: `${agentPrefix}${agentId}`,
      type: 'tool_call',
      tool,
      args,
    },
  }));
}
