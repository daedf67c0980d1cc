/**
 * Decides actions in this process with the plane's own redaction, policy, ledger and batch code. Publishes nothing,
 * and applies no deadline.
 */
import { randomBytes } from 'node:crypto';
import { createMemoryLedger, type Ledger } from '@mandate/ledger';
import { actionDigest, fingerprintOf, type MandatesInForce } from '@mandate/policy';
import type { ContentFinders } from '@mandate/policy/governance';
import { type Action, DEFAULTS, readActionsRecord } from '@mandate/schemas';
import { answerAlone, type Evaluated } from '../answer-alone.ts';

export type OfflineDecider = {
  ledger: Ledger;
  /** Answers a record of the actions topic. The ledger state continues from the previous record. */
  answer(value: Uint8Array): Promise<Evaluated>;
  /** Returns the digest of an action as an agent sends it. An approval of the action names this digest. */
  digestOf(action: Action): string;
};

/** Returns the action as a gateway publishes it: redacted by the rules of its tenant. */
export type RedactAction = (action: Action, tenant: string) => Action;

type Published = { action: Action; fingerprint: string | null };

/**
 * @param redact what a gateway does to an action before it publishes the action
 * @param clock the only clock that is read
 * @param finders what finds personal data and profane words, for policies that filter answers
 */
export function offlineDecider(
  control: MandatesInForce,
  redact: RedactAction,
  clock: () => number,
  finders: ContentFinders,
): OfflineDecider {
  const ledger = createMemoryLedger({ clock, epoch: 'eval' });
  const secret = randomBytes(32).toString('hex');
  const answer = answerAlone(
    { ledger, control: () => control, redact: (action) => action, clock, deadlines: false, finders },
    'eval',
  );

  function publish(sent: Action): Published {
    const action = redact(sent, sent.tenant ?? DEFAULTS.tenant);
    return { action, fingerprint: fingerprintOf(sent, action, secret) };
  }

  /** Returns the record as a gateway would append it. A record that cannot be read stays as it is. */
  function appended(value: Uint8Array): { value: Uint8Array; fingerprint: string | null } {
    const read = readActionsRecord(value);
    if (!read.ok || read.value.event !== 'action.requested') return { value, fingerprint: null };
    const { action, fingerprint } = publish(read.value.action);
    return { value: new TextEncoder().encode(JSON.stringify({ ...read.value, action })), fingerprint };
  }

  return {
    ledger,
    digestOf(sent) {
      const { action, fingerprint } = publish(sent);
      return actionDigest(action, fingerprint);
    },
    answer: async (record) => answer(appended(record))(),
  };
}
