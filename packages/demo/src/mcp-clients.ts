/** What the MCP clients of the demo have in common. */
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';

const CALL_TIMEOUT_MS = 20_000;

export type CallResult = {
  text: string;
  /** True if the tool ran, and did not fail. */
  ok: boolean;
  /** Set if the proxy refused the call, or ended it after a kill. */
  refusal: { code: string; approvalId?: string } | undefined;
};

/** @param idempotencyKey two calls with the same key are one action */
export async function callTool(
  client: Client,
  name: string,
  args: Readonly<Record<string, unknown>>,
  idempotencyKey?: string,
): Promise<CallResult> {
  const _meta = idempotencyKey === undefined ? {} : { 'mandate/idempotencyKey': idempotencyKey };
  const result = await client.callTool({ name, arguments: { ...args }, _meta }, undefined, {
    timeout: CALL_TIMEOUT_MS,
  });
  const refusal = result._meta?.['mandate/refusal'] as CallResult['refusal'];
  return { text: textOf(result.content), ok: refusal === undefined && result.isError !== true, refusal };
}

function textOf(content: unknown): string {
  if (!Array.isArray(content)) return '';
  return content.map((part) => (typeof part?.text === 'string' ? part.text : '')).join('\n');
}
