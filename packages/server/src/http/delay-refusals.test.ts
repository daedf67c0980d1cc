import { turns } from '@mandate/runtime';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { testServer } from './http-server.fixture.ts';
import { tooManyOf } from './limit-throughput.ts';

/** The number of refusals that may wait. */
const MOST_WAITING = 5_000;
const AT_ONCE_MS = 500;

async function serve({ isBusy }: { isBusy: boolean }) {
  vi.spyOn(turns, 'isBusy').mockReturnValue(isBusy);
  const refuse = () => {
    throw tooManyOf('TOO_MANY_RECORDS', 'too much', { waitMs: 10, facts: {} });
  };
  const server = await testServer(
    async (routes) => {
      routes.get('/v1/refused', { config: { public: true } }, refuse);
      routes.get('/v1/urgent', { config: { public: true, urgent: true } }, refuse);
      routes.get('/v1/anything', { config: { public: true } }, () => ({}));
    },
    { keys: null },
  );
  return async (url: string) => {
    const askedMs = performance.now();
    const { statusCode } = await server.inject({ url });
    return { statusCode, isAtOnce: performance.now() - askedMs < AT_ONCE_MS };
  };
}

afterEach(() => vi.restoreAllMocks());

test('refuses a caller over its limit at once while the event loop is idle', async () => {
  const ask = await serve({ isBusy: false });
  expect(await ask('/v1/refused')).toEqual({ statusCode: 429, isAtOnce: true });
});

describe('while the event loop is busy', () => {
  test('refuses a caller over its limit only after a pause', async () => {
    const ask = await serve({ isBusy: true });
    expect(await ask('/v1/refused')).toEqual({ statusCode: 429, isAtOnce: false });
  });

  test('refuses a request that stops agents at once', async () => {
    const ask = await serve({ isBusy: true });
    expect(await ask('/v1/urgent')).toEqual({ statusCode: 429, isAtOnce: true });
  });

  test('refuses a caller with too many waiting requests only after a pause', async () => {
    vi.spyOn(turns, 'waitingIn').mockReturnValue(5_000);
    const ask = await serve({ isBusy: true });
    expect(await ask('/v1/anything')).toEqual({ statusCode: 503, isAtOnce: false });
  });

  test('refuses a caller at once if thousands of refusals already wait', async () => {
    vi.spyOn(turns, 'waitingIn').mockReturnValue(5_000);
    const ask = await serve({ isBusy: true });
    let waiting = 0;
    const asked = Array.from({ length: MOST_WAITING + 1 }, async () => {
      waiting += 1;
      expect((await ask('/v1/anything')).statusCode).toBe(503);
      waiting -= 1;
    });
    await Promise.race(asked);
    expect(waiting).toBe(MOST_WAITING);
    await Promise.all(asked);
  });
});
