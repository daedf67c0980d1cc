/** Tests that a client under a mandate behaves like any other client, in everything that its caller can see. */
import { describe, expect, test } from 'vitest';
import { BEHAVIOURS } from './behaviours.fixture.ts';
import { governedBench, MAJORS, plainBench } from './clients.fixture.ts';

describe.each(MAJORS)('%s', (_, Class) => {
  test.each(BEHAVIOURS)('$name', async ({ run, script = {} }) => {
    const plain = await run(await plainBench(Class, script));
    const governed = await run(await governedBench(Class, script));
    expect(governed).toEqual(plain);
  });
});
