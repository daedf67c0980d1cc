import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import {
  inRequest,
  ofThisRequest,
  outsideRequests,
  type RequestInHand,
  requestInHand,
  sharedByRequests,
} from './request-scope.ts';

function request() {
  const failures: unknown[] = [];
  const inHand: RequestInHand = { fail: (error) => void failures.push(error) };
  return { inHand, failures };
}

/** Runs `work` as code of the request, and returns its result. */
function run<T>(inHand: RequestInHand, work: () => T): T {
  let result: T | undefined;
  inRequest(inHand, () => {
    result = work();
  });
  return result as T;
}

test('tells code of a request its request, also after a wait, and no other code', async () => {
  const [one, other] = [request(), request()];
  const seen = await Promise.all(
    [one, other].map(({ inHand }) =>
      run(inHand, async () => {
        await turn();
        return requestInHand() === inHand;
      }),
    ),
  );
  expect([seen, requestInHand()]).toEqual([[true, true], null]);
});

test('fails the request whose code throws, and lets the caller continue', () => {
  const { inHand, failures } = request();
  const error = new Error('boom');
  inRequest(inHand, () => {
    throw error;
  });
  expect(failures).toEqual([error]);
});

test('fails the request of a listener, whichever code calls it', () => {
  const [one, other] = [request(), request()];
  const listener = run(one.inHand, () =>
    ofThisRequest(() => {
      throw requestInHand();
    }),
  );
  inRequest(other.inHand, listener);
  listener();
  expect([one.failures, other.failures]).toEqual([[one.inHand, one.inHand], []]);
});

/** With a private field, which only the class itself can read. */
class Part {
  readonly #seen: unknown[] = [];
  get seen(): readonly unknown[] {
    return this.#seen;
  }
  look(): void {
    this.#seen.push(requestInHand());
  }
  async lookLater(): Promise<void> {
    await turn();
    this.look();
  }
}

test('runs a shared part outside of any request, and its answer in the request of the caller', async () => {
  const { inHand } = request();
  const part = sharedByRequests(new Part());
  await run(inHand, async () => {
    part.look();
    await part.lookLater();
    expect(requestInHand()).toBe(inHand);
  });
  part.look();
  expect(part.seen).toEqual([null, null, null]);
});

test('returns the same function for the same method of a shared part', () => {
  const part = sharedByRequests({ look: () => {} });
  expect(part.look).toBe(part.look);
});

test('knows no request outside of requests', () => {
  expect(run(request().inHand, () => outsideRequests(requestInHand))).toBeNull();
});
