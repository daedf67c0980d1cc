/** Asks a plane which tools an agent may call at all. */
import type { AskedTool, ToolCaller } from '../types.ts';
import { fieldsOf, type PlaneConnection, pathOfAgent, refusalOf } from './plane-connection.ts';

/** How many tools one request asks about. */
const MOST_TOOLS = 500;

/** @throws MandateError PLANE_UNAVAILABLE, or with the code of the refusal */
export async function permittedByPlane(
  connection: PlaneConnection,
  { agentId, ...caller }: ToolCaller,
  tools: readonly AskedTool[],
): Promise<(boolean | null)[]> {
  const untilMs = performance.now() + connection.timeoutMs;
  const permitted: (boolean | null)[] = [];
  for (let from = 0; from < tools.length; from += MOST_TOOLS) {
    const asked = tools.slice(from, from + MOST_TOOLS);
    const path = pathOfAgent(agentId, 'permitted-tools');
    const answer = await connection.request(
      () => ({ method: 'POST', path, body: { ...caller, tools: asked } }),
      untilMs,
    );
    if (answer.status !== 200) throw refusalOf(connection.url, answer);
    const { permitted: answered } = fieldsOf(answer.body);
    const known = Array.isArray(answered) ? answered : [];
    permitted.push(...asked.map((_tool, at) => (typeof known[at] === 'boolean' ? known[at] : null)));
  }
  return permitted;
}
