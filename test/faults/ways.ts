/** Ways that end with the test: to a server, and to the brokers of a cluster that sends its clients over them. */
import { type BreakableWay, breakableWay, kafkaFraming } from '@mandate/testing';
import { onTestFinished } from 'vitest';

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
