import type { Bus } from '@mandate/bus';
import { mandatesByRegister } from '@mandate/control';
import type { FollowedControl } from '@mandate/control-log';
import { governedRedaction } from '@mandate/policy';
import { contentFinders, currentRedactor, type PrivacyFile, type RedactedFields } from '@mandate/privacy';
import type { Clock } from '@mandate/runtime';
import { TOPICS, topicOfTenant } from '@mandate/schemas';
import type { ProcessParts } from '@mandate/server';
import type { z } from 'zod';
import { type Decider, startDecider } from './app.ts';
import type { deciderSettings } from './config.ts';
import type { MandatesFile } from './mandates-file.ts';
import type { OpenedLedger } from './open-ledger.ts';
import { warnOfMissingHashKey } from './warn-of-missing-hash-key.ts';
import { warnOfShortQuestions } from './warn-of-short-questions.ts';

type Settings = Pick<
  z.output<typeof deciderSettings>,
  'DECIDER_TENANT_TOPICS' | 'DECIDER_BATCH_RECORDS' | 'DECIDER_SESSION_TIMEOUT_MS'
>;

/** Opens the decider of a process. `openLedger` has already opened its ledger. */
export async function openDecider(
  config: Readonly<Settings>,
  parts: ProcessParts &
    OpenedLedger & {
      bus: Bus;
      followed: FollowedControl;
      mandates: MandatesFile;
      privacy: PrivacyFile;
      fields: RedactedFields;
      clock: Clock;
    },
): Promise<Decider> {
  const { bus, ledger, requestRebuild, followed, mandates, privacy, fields, clock, log, metrics, tracer } =
    parts;
  // Gateways seal personal data. Other producers may not, and a decider has no keys to seal, so it redacts such data.
  const redact = currentRedactor(privacy, {
    redact: governedRedaction(fields, followed.mandates.sensitiveFields),
    hashKey: fields.hashKey,
    sealer: null,
  });
  const starting = startDecider({
    bus,
    ledger,
    requestRebuild,
    control: () => mandatesByRegister(followed.mandates, mandates.control()),
    redact,
    finders: contentFinders,
    clock,
    deadlines: true,
    log,
    metrics,
    tracer,
    maxRemembered: (tenant) => followed.mandates.quotas(tenant).rememberedIds,
    tenantsWithTopics: () => followed.withTopics,
    topics: [TOPICS.actions, ...config.DECIDER_TENANT_TOPICS.map(topicOfTenant)],
    maxBatch: config.DECIDER_BATCH_RECORDS,
    sessionTimeoutMs: config.DECIDER_SESSION_TIMEOUT_MS,
  });
  const decider = parts.running(await starting);
  warnOfShortQuestions({ mandates: mandates.control().mandates, followed, ledger, log });
  warnOfMissingHashKey({ followed, hashKey: fields.hashKey, log });
  return decider;
}
