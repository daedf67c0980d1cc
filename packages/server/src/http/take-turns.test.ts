import { turns } from '@mandate/runtime';
import { expect, test } from 'vitest';
import { testServer } from './http-server.fixture.ts';

const CROWD = 200;

test('delays no caller because of many requests from another address', async () => {
  const server = await testServer(
    async (routes) => {
      routes.get('/v1/anything', { config: { public: true } }, () => ({}));
    },
    { keys: null },
  );
  const answered: string[] = [];
  const ask = async (remoteAddress: string) => {
    const { statusCode } = await server.inject({ url: '/v1/anything', remoteAddress });
    answered.push(remoteAddress);
    expect(statusCode).toBe(200);
  };
  // The event loop is busy before the requests arrive, and it stays busy.
  let isOver = false;
  const work = async () => {
    while (!isOver) {
      await turns.next(['work']);
      for (const beganMs = performance.now(); performance.now() - beganMs < 5; );
    }
  };
  const working = work();
  await Promise.all([...Array.from({ length: CROWD }, () => ask('10.0.0.2')), ask('10.0.0.1')]);
  isOver = true;
  await working;
  expect(answered).toHaveLength(CROWD + 1);
  expect(answered.indexOf('10.0.0.1')).toBeLessThan(CROWD / 2);
});
