/** Asks a plane which tools an agent may call at all. */
import type { AskedTool, ToolCaller } from '../types.ts';
import { type PlaneConnection, pathOfAgent, refusalOf } from './plane-connection.ts';

/** @throws MandateError PLANE_UNAVAILABLE, or with the code of the refusal */
export async function permittedByPlane(
  connection: PlaneConnection,
  { agentId, ...caller }: ToolCaller,
  tools: readonly AskedTool[],
): Promise<(boolean | null)[]> {
  const answer = await connection.request(
    () => ({ method: 'POST', path: pathOfAgent(agentId, 'permitted-tools'), body: { ...caller, tools } }),
    performance.now() + connection.timeoutMs,
  );
  if (answer.status !== 200) throw refusalOf(connection.url, answer);
  return (answer.body as { permitted: (boolean | null)[] }).permitted;
}
