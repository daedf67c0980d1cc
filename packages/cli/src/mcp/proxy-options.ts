/** The options of the MCP proxy, and the settings that follow from them. */
import { type ProxySettings, ToolPins } from '@mandate/mcp';
import type { CommandContext } from '../command-context.ts';
import { WrongUse } from '../exit-codes.ts';
import { findConnection } from '../profiles/find-connection.ts';
import { readProfiles } from '../profiles/profile-file.ts';

export type ProxyOptions = {
  agent?: string;
  principal?: string;
  run?: string;
  mandates?: string;
  prefix?: string;
  list: 'filter' | 'all';
  hints: boolean;
  pinTools?: string;
  defer?: { mode: ProxySettings['defer']; holdMs?: number };
  approvalUrl?: string;
  maxMessage?: number;
  retry: '0' | '1';
  listen?: string;
  upstream?: string;
  upstreamEnv?: string;
  transport?: string;
  header?: readonly string[];
  headerEnv?: readonly string[];
  allowHost?: readonly string[];
};

const HOLD_MS = 30_000;
const MAX_MESSAGE_MIB = 10;

export function proxySettings(options: ProxyOptions, context: CommandContext): ProxySettings {
  const { prefix = '', list, defer = { mode: 'hold' } } = options;
  const approvalUrl = options.approvalUrl ?? pageOfPlane(options, context);
  return {
    prefix,
    filtersLists: list === 'filter',
    usesHints: options.hints,
    pins: options.pinTools === undefined ? null : new ToolPins(options.pinTools),
    defer: defer.mode,
    holdMs: defer.holdMs ?? HOLD_MS,
    approvalUrl: approvalUrl === null ? null : (id) => approvalUrl.replaceAll('{id}', encodeURIComponent(id)),
  };
}

/** The page of the plane's console on which a person answers a question. Null: no plane decides. */
function pageOfPlane({ mandates }: ProxyOptions, { globals, env }: CommandContext): string | null {
  if (mandates !== undefined) return null;
  const url = new URL(findConnection(globals, env, () => readProfiles(env)).url);
  // A client shows the address, so it must not have a password.
  return `${url.origin}${url.pathname.replace(/\/$/, '')}/approvals/{id}`;
}

export function agentOf({ agent }: ProxyOptions, { env }: CommandContext): string {
  const named = agent ?? env.MANDATE_AGENT_ID;
  if (named) return named;
  throw new WrongUse('it is not known which agent calls', 'Give --agent, or set MANDATE_AGENT_ID.');
}

export function mostBytes({ maxMessage = MAX_MESSAGE_MIB }: ProxyOptions): number {
  return maxMessage * 1024 * 1024;
}

/** Reports failures to the operator. */
export function reporting({ stderr }: Pick<CommandContext, 'stderr'>): (error: unknown) => void {
  return (error) => void stderr.write(`mandate: ${error instanceof Error ? error.message : error}\n`);
}

/** Opens the SDK: in this process with a mandate file, or at the plane that the context names. */
export async function openMandate(options: ProxyOptions, context: CommandContext) {
  const { globals, env } = context;
  const onError = reporting(context);
  if (options.mandates !== undefined) {
    const { Mandate } = await import('@mandate/sdk');
    return new Mandate({ mandate: options.mandates, onError });
  }
  const { url, key } = findConnection(globals, env, () => readProfiles(env));
  if (key === '')
    throw new WrongUse(
      'no API key is known, so no plane can decide the calls',
      'Set MANDATE_API_KEY, run `mandate login`, or decide in this process with --mandates.',
    );
  const { Mandate } = await import('@mandate/sdk/plane');
  return new Mandate({ planeUrl: url, apiKey: key, onError });
}
