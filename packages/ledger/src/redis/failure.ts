/**
 * Converts faults of Redis to errors of Mandate. Only this file knows which faults are temporary. A fault of the
 * connection (refused, cut, timed out) is temporary. An error reply is temporary if its first word, Redis's code, is
 * in the list here. Any other reply is a defect of a script and is thrown unchanged.
 */
import { MandateError, tlsRemedy } from '@mandate/runtime';
import { ReplyError } from 'ioredis';
import { LedgerNotReady, ledgerNewer } from '../not-ready.ts';

const PASSING: ReadonlySet<string> = new Set([
  // The server is starting, is failing over, or lacks its required replicas.
  ...['LOADING', 'MASTERDOWN', 'READONLY', 'NOREPLICAS', 'UNBLOCKED'],
  // The server is full, or cannot write to its disk.
  ...['OOM', 'MISCONF'],
  // The server has dropped the script again, although the client has just sent it for this call.
  'NOSCRIPT',
  // The cluster is being resharded.
  ...['CLUSTERDOWN', 'MOVED', 'ASK', 'TRYAGAIN'],
  // A script of another client is running, or the server does not accept this client.
  ...['BUSY', 'NOAUTH', 'WRONGPASS', 'NOPERM'],
]);

export function ledgerFailure(error: unknown): Error {
  if (error instanceof MandateError) return error;
  const cause = withoutCommand(error);
  if (cause instanceof ReplyError) {
    const answer = cause as Error;
    const [code = ''] = answer.message.split(' ', 1);
    if (!PASSING.has(code)) return answer;
    return unavailable(`Redis answered ${code}.`, answer, NOT_LET_IN.has(code) ? LET_IN : undefined);
  }
  const message = cause instanceof Error ? cause.message : String(cause);
  return unavailable(`Redis cannot be reached: ${message}`, cause, tlsRemedy('REDIS', cause) ?? undefined);
}

/**
 * Removes the command from an error, because it may contain a password or a request that must not be logged. If no
 * node of a cluster answered, uses the error of the last node.
 */
function withoutCommand(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  Reflect.deleteProperty(error, 'command');
  return 'lastNodeError' in error && error.lastNodeError instanceof Error
    ? withoutCommand(error.lastNodeError)
    : error;
}

const NOT_LET_IN: ReadonlySet<string> = new Set(['NOAUTH', 'WRONGPASS', 'NOPERM']);
const LET_IN =
  'Check the user and the password in MANDATE_REDIS_USERNAME and MANDATE_REDIS_PASSWORD, or in MANDATE_REDIS_URL. The user needs the rights of the ledger in infra/redis/users.acl.';

export function unavailable(message: string, cause?: unknown, remedy?: string): MandateError {
  return new MandateError('LEDGER_UNAVAILABLE', message, {
    remedy:
      remedy ??
      'Send the same request again after Redis is back. An action that was already decided gets the same answer, and is not charged again.',
    retryable: true,
    cause,
  });
}

/** Reasons why a shard or the registry is not ready, by the code that the scripts return. */
const REASONS: Readonly<Record<string, string>> = {
  empty: 'Redis holds no ledger: it is new, or was emptied',
  layout: 'the ledger in Redis has an older layout than this program reads',
  rebuilding: 'the ledger is being rebuilt',
  run: 'a Redis server was restarted, replaced or failed over after the ledger was rebuilt on it, and may lack the newest writes',
  lost: 'an open tenant is missing in Redis',
  behind: 'a tenant in Redis is older than the last rebuild',
};

/** @param lostEpoch the epoch that was lost, or '' if it is unknown */
export function notReady(why: string, found: string, expected: string, lostEpoch: string): MandateError {
  if (why === 'layout' && Number(found) > Number(expected)) return ledgerNewer(found, expected);
  if (why === 'clock') return clocksDiffer(Number(found), Number(expected));
  const reason = REASONS[why] ?? why;
  return new LedgerNotReady(
    `The ledger is not ready: ${reason} (found "${found}", expected "${expected}").`,
    lostEpoch,
    why,
  );
}

function clocksDiffer(serverMs: number, ownMs: number): MandateError {
  const seconds = Math.round((serverMs - ownMs) / 1000);
  return unavailable(
    `The clock of Redis is ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} the clock of this process.`,
    undefined,
    'Nothing was decided. Synchronise the clocks of both machines (NTP). Decisions continue by themselves when the clocks differ by less than a minute.',
  );
}

export function epochChanged(confirmed: string, current: string): MandateError {
  return new MandateError(
    'LEDGER_EPOCH_CHANGED',
    `The ledger was rebuilt: its epoch is ${current}, the decisions carry ${confirmed}.`,
    { remedy: 'Do not commit. Read the requests again: the rebuilt ledger decides them.', retryable: true },
  );
}

export function corrupt(position: string): MandateError {
  return new MandateError(
    'LEDGER_CORRUPT',
    `The ledger remembers another record at ${position} than the one that was read there.`,
    {
      remedy:
        'Log and ledger do not belong together. Rebuild the ledger from this log, or point it at its own.',
    },
  );
}
