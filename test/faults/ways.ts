/** Ways that end with the test: to a server, and to the brokers of a cluster that sends its clients over them. */
import { type BreakableWay, breakableWay, type Held, kafkaFraming, waitUntil } from '@mandate/testing';
import { onTestFinished } from 'vitest';
import { PATIENCE_MS } from './breakable-servers.ts';

/** A batch of answers on its way to the log, with a decision among them; it is not packed. */
export const PUBLISH = /^Produce .*mandate\.decisions.*action\.decided/s;

export async function openWay(...to: Parameters<typeof breakableWay>): Promise<BreakableWay> {
  const way = await breakableWay(...to);
  onTestFinished(() => way[Symbol.dispose]());
  return way;
}

/** `via` is for `startKafka`; `ways` has one for each broker, in their order, once those are started. */
export function waysToBrokers(words: Parameters<typeof breakableWay>[1]) {
  const ways: BreakableWay[] = [];
  const via = async (port: number) => {
    const way = await openWay(port, words, kafkaFraming);
    ways.push(way);
    return way;
  };
  return { via, ways };
}

/** Resolves once it is held; `askMore` is called until then. */
export function heldAtLast(holding: Promise<Held>, askMore: () => Promise<unknown>): Promise<Held> {
  let held: Held | undefined;
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
