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

/** Runs `work` as code of a request, and returns its result. */
function run<T>(inHand: RequestInHand, work: () => T): T {
  let result: T | undefined;
  inRequest(inHand, () => {
    result = work();
  });
  return result as T;
}

test('returns the request to code of the request, also after a wait, and to no other code', async () => {
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

test('fails the request whose code throws, but its caller continues', () => {
  const { inHand, failures } = request();
  const error = new Error('boom');
  inRequest(inHand, () => {
    throw error;
  });
  expect(failures).toEqual([error]);
});

test('fails the request of a listener, even if other code calls the listener', () => {
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

/** The class has a private field, which only its own methods can read. */
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

test('runs a shared part outside of any request, and continues in the request of the caller', async () => {
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

test('returns the same function each time for a method of a shared part', () => {
  const part = sharedByRequests({ look: () => {} });
  expect(part.look).toBe(part.look);
});

test('finds no request outside of requests', () => {
  expect(run(request().inHand, () => outsideRequests(requestInHand))).toBeNull();
});
