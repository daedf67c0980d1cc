/**
 * GET /v1/kills/stream: server-sent events. Programs that run agents learn of a kill from them at once. A stream
 * begins with the kill flags in force. It repeats the flags from time to time, and whenever notices may have been
 * lost. Streams only save time: even if no program listens, a kill flag withholds every ALLOW.
 */
import { PassThrough } from 'node:stream';
import type { KillInForce, KillNotice } from '@mandate/ledger';
import { ofThisRequest } from '@mandate/runtime';
import type { ApiKeyRecord, KillTarget } from '@mandate/schemas';
import { boundStreams, callerOf, type HttpServer } from '@mandate/server';
import { type Gateway, ledgerOf } from '../gateway.ts';
import { maySee } from '../own-agents.ts';

/** How often the flags are repeated. This is less than the timeout of an idle socket. */
const REPEAT_FLAGS_MS = 30_000;
/** How often the API key of a stream is checked. The streams of a revoked key end within this time. */
const LOOK_AT_KEY_MS = 500;
const MOST_STREAMS = { inAll: 2_000, ofATenant: 1_000, ofAKey: 500, keptForPeople: 100 };
/**
 * The maximum number of bytes that may wait for a slow listener. If more wait, its stream ends, and the listener must
 * connect again.
 */
const MOST_WAITING_BYTES = 256 * 1024;

export function streamKills(server: HttpServer, gateway: Gateway): void {
  const streams = boundStreams(server, MOST_STREAMS, {
    what: 'kills',
    remedy: 'Try again in a moment, or ask for kill-status before you run an allowed action.',
  });
  server.get(
    '/v1/kills/stream',
    {
      // The answer to a HEAD request would never end. It would count as an open stream forever.
      exposeHeadRoute: false,
      config: { scope: ['operate', 'audit', 'publish'] },
      schema: {
        tags: ['kill switch'],
        summary: 'Stream kills and revives as server-sent events',
        description:
          'Event `flags`: every kill switch that is on. It comes at the start, and again from time to time. A switch ' +
          'that it does not list is off. Events `killed` and `revived`: one switch. The stream has the switches of the ' +
          'agents for which the key speaks, of its tenant, and of everything.',
        produces: ['text/event-stream'],
      },
    },
    async (request, reply) => {
      const key = callerOf(request);
      const ledger = ledgerOf(gateway);
      const stream = new PassThrough();
      const send = (event: string, data: object) => {
        if (stream.writableLength > MOST_WAITING_BYTES) stream.destroy();
        else if (stream.writable) stream.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
      };
      const sendFlags = async () => {
        const flags = await ledger.killed(key.tenant);
        send('flags', { killed: flags.filter(({ target }) => concerns(gateway, key, target)).map(flagOf) });
      };
      // Sends the flags. If this fails, the listener gets the flags when the ledger is back.
      const trySendFlags = () =>
        void sendFlags().catch((err: unknown) => gateway.log.warn({ err }, 'kill flags could not be read'));

      // The flags are read before the answer begins, so that the answer can still be a 503 if the ledger is
      // unavailable.
      await sendFlags();
      const { ending, cut, leave } = streams.enter(key);
      ending.addEventListener(
        'abort',
        ofThisRequest(() => void stream.end()),
      );
      cut.addEventListener(
        'abort',
        ofThisRequest(() => void stream.destroy()),
      );
      const unsubscribe = gateway.kills.subscribe({
        onNotice: ofThisRequest((notice) => {
          if (concerns(gateway, key, notice.target)) send(notice.killed ? 'killed' : 'revived', said(notice));
        }),
        onGap: ofThisRequest(trySendFlags),
      });
      const repeating = setInterval(trySendFlags, REPEAT_FLAGS_MS);
      const endWithKey = async () => {
        if (!(await request.keyStillHolds())) stream.end();
      };
      const looking = setInterval(() => void endWithKey(), LOOK_AT_KEY_MS);
      stream.once('close', () => {
        clearInterval(repeating);
        clearInterval(looking);
        unsubscribe();
        leave();
      });
      // The connection closes after this answer. So a server that stops does not have to wait for the connection to
      // become idle.
      return reply
        .type('text/event-stream')
        .headers({ 'cache-control': 'no-store', connection: 'close' })
        .send(stream);
    },
  );
}

/** Leaves out who killed: keys of agents get these events too. */
function flagOf({ scope, revision, reason, agentId, target }: KillInForce): object {
  return { scope, revision, reason, ...(agentId !== undefined && { agentId }), target };
}

function said({ target, revision }: KillNotice): object {
  return { target, revision };
}

function concerns(
  { ancestryOf }: Pick<Gateway, 'ancestryOf'>,
  key: ApiKeyRecord,
  target: KillTarget,
): boolean {
  if (target.scope === 'all') return true;
  if (target.tenant !== key.tenant) return false;
  if (target.scope === 'tenant' || maySee(key, target.agentId)) return true;
  // A key with a pattern of agents gets every notice about a subtree. The caller must find out which of
  // its agents are in the subtree.
  return (
    target.scope === 'subtree' &&
    key.agents.some((id) => {
      if (id.includes('*')) return true;
      const { ancestors, formerAncestors } = ancestryOf(key.tenant, id);
      return ancestors.includes(target.agentId) || formerAncestors.some((left) => left.id === target.agentId);
    })
  );
}
