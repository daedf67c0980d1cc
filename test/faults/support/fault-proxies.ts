/**
 * Opens proxies that end with the test: a proxy to any server, or a proxy to the broker of a Kafka. The broker tells
 * its clients the address of the proxy.
 */
import {
  type FaultProxy,
  type HeldMessage,
  kafkaFraming,
  startFaultProxy,
  waitUntil,
} from '@mandate/testing';
import { onTestFinished } from 'vitest';
import { PATIENCE_MS } from './breakable-servers.ts';

/**
 * Matches a request that appends a batch of answers, with at least one decision. The batch is not compressed, so the
 * pattern can read it.
 */
export const PUBLISH = /^Produce .*mandate\.decisions.*action\.decided/s;

export async function openProxy(...to: Parameters<typeof startFaultProxy>): Promise<FaultProxy> {
  const proxy = await startFaultProxy(...to);
  onTestFinished(() => proxy[Symbol.dispose]());
  return proxy;
}

/**
 * Returns a proxy to the only broker. Give `via` to `startKafka`. `proxy` throws until `startKafka` has used `via`.
 */
export function proxyToBroker(words: Parameters<typeof startFaultProxy>[1]) {
  let opened: FaultProxy | undefined;
  return {
    async via(port: number): Promise<FaultProxy> {
      opened = await openProxy(port, words, kafkaFraming);
      return opened;
    },
    proxy(): FaultProxy {
      if (opened === undefined) throw new Error('there is no broker yet');
      return opened;
    },
  };
}

/** Resolves when a message is held. Calls `askMore` until then. */
export function heldAtLast(
  holding: Promise<HeldMessage>,
  askMore: () => Promise<unknown>,
): Promise<HeldMessage> {
  let held: HeldMessage | undefined;
  holding.then((each) => {
    held = each;
  });
  return waitUntil(
    'the message to be on its way',
    async () => {
      if (held === undefined) await askMore();
      return held;
    },
    PATIENCE_MS,
  );
}
