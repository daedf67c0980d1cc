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

/** What `work` returns, run as code of the request. */
function run<T>(inHand: RequestInHand, work: () => T): T {
  let result: T | undefined;
  inRequest(inHand, () => {
    result = work();
  });
  return result as T;
}

test('code of a request knows its request, also after it waited, and nothing else does', async () => {
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

test('what code of a request throws fails the request, and the caller goes on', () => {
  const { inHand, failures } = request();
  const error = new Error('boom');
  inRequest(inHand, () => {
    throw error;
  });
  expect(failures).toEqual([error]);
});

test('a listener of a request fails that request, whoever calls it', () => {
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

/** With a field that only it can read, as classes have. */
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

test('a shared part belongs to no request, whoever calls it, and its answer to the caller', async () => {
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

test('a shared part keeps its identity: the same method is the same function', () => {
  const part = sharedByRequests({ look: () => {} });
  expect(part.look).toBe(part.look);
});

test('outside of requests there is none', () => {
  expect(run(request().inHand, () => outsideRequests(requestInHand))).toBeNull();
});
