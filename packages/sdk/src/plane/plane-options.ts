/** The options of plane mode, checked and with their defaults. */
import { CALL_CAPS } from '@mandate/schemas/core';
import type { DecisionPoint } from '../decision-point.ts';
import { misused } from '../errors.ts';
import type { OnError } from '../types.ts';

export type PlaneOptions = {
  /** The address of the plane's gateway. Default: `http://127.0.0.1:7420`. */
  planeUrl?: string;
  /** The API key of the agent, or a function that returns the key. The function is called for each request. */
  apiKey?: string | (() => string | Promise<string>);
  /**
   * The key with which outcomes are reported. Default: `apiKey`. A proxy that measures the calls of others states a key
   * with the scopes `report` and `release`, so that its reports are trusted.
   */
  reporterKey?: string;
  /** How long a call may wait for its decision, with all retries, in milliseconds. Default: 10 seconds. */
  timeoutMs?: number;
  /** What to do if the plane does not answer in time. The only value is `block`: the call does not run. */
  whenPlaneIsAway?: 'block';
  /** Reaches the plane through Kafka instead of `planeUrl`: `kafkaPlane({ brokers })` of `@mandate/sdk/kafka`. */
  kafka?: OpenThroughKafka;
};

/** Opens plane mode through Kafka. */
export type OpenThroughKafka = (
  parts: Pick<DecisionPoint, 'readAction' | 'addMandate'> & { onError: OnError },
) => DecisionPoint;

export type PlaneSettings = {
  url: string;
  keyOf: () => string | undefined | Promise<string>;
  timeoutMs: number;
};

const DEFAULT_URL = 'http://127.0.0.1:7420';
const DEFAULT_TIMEOUT_MS = 10_000;

/** @throws MandateError SDK_MISUSED */
export function planeSettings({ planeUrl, apiKey, timeoutMs, whenPlaneIsAway }: PlaneOptions): PlaneSettings {
  if (whenPlaneIsAway !== undefined && whenPlaneIsAway !== 'block') {
    throw misused(`whenPlaneIsAway is "${whenPlaneIsAway}".`, 'Use "block", the only value.');
  }
  const waits = timeoutMs ?? DEFAULT_TIMEOUT_MS;
  if (!Number.isSafeInteger(waits) || waits < 1 || waits > CALL_CAPS.deadlineMs) {
    throw misused(`timeoutMs is ${waits}.`, `Use a whole number from 1 to ${CALL_CAPS.deadlineMs}.`);
  }
  return {
    url: addressOf(planeUrl ?? DEFAULT_URL),
    keyOf: typeof apiKey === 'function' ? apiKey : () => apiKey,
    timeoutMs: waits,
  };
}

/** Returns the address without a slash at its end. */
function addressOf(planeUrl: string): string {
  const url = URL.canParse(planeUrl) ? new URL(planeUrl) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '') {
    throw misused(
      'planeUrl is no address of a plane.',
      `Use an address with http or https, and without a name or query, as in ${DEFAULT_URL}.`,
    );
  }
  return url.href.replace(/\/+$/, '');
}
