import { turns } from '@mandate/runtime';
import { afterEach, describe, expect, test, vi } from 'vitest';
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

describe('a caller with too many waiting requests', () => {
  const serveOverloaded = async () => {
    vi.spyOn(turns, 'waitingIn').mockReturnValue(5_000);
    vi.spyOn(turns, 'isBusy').mockReturnValue(true);
    const server = await testServer(
      async (routes) => {
        routes.get('/v1/anything', { config: { public: true } }, () => ({}));
      },
      { keys: null },
    );
    return async () => (await server.inject({ url: '/v1/anything' })).statusCode;
  };
  afterEach(() => vi.restoreAllMocks());

  test('is refused only after a pause', async () => {
    const ask = await serveOverloaded();
    const askedMs = performance.now();
    expect(await ask()).toBe(503);
    expect(performance.now() - askedMs).toBeGreaterThan(900);
  });

  test('is refused at once if thousands of refusals wait already', async () => {
    const ask = await serveOverloaded();
    let waiting = 0;
    const asked = Array.from({ length: 5_001 }, async () => {
      waiting += 1;
      expect(await ask()).toBe(503);
      waiting -= 1;
    });
    await Promise.race(asked);
    expect(waiting).toBe(5_000);
    await Promise.all(asked);
  });
});
