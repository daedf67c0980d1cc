import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  type BuilderDeps,
  type BuilderModel,
  type BuildFailure,
  type BuildRecord,
  type ModelCall,
  runManifestBuilder,
} from './index.ts';

afterEach(() => vi.unstubAllEnvs());

const ANSWER = '{"focus":"a","question_type":"casual","context_early":["x"]}';

function scene(ask: BuilderModel['ask'] = async () => ({ outcome: 'answered', text: ANSWER })) {
  const records: BuildRecord[] = [];
  const failures: BuildFailure[] = [];
  const calls: ModelCall[] = [];
  const model: BuilderModel = {
    ...{ agentId: 'context-builder', provider: 'p', model: 'm', maxTokens: 700, temperature: 0 },
    ask(call) {
      calls.push(call);
      return ask(call);
    },
  };
  const deps: BuilderDeps = {
    model,
    record: (record) => records.push(record),
    warn: (failure) => failures.push(failure),
  };
  return { deps, records, failures, calls };
}

test('returns the manifest, and the prompts for debugging', async () => {
  const { deps, records } = scene(async (call) => {
    call.onAction('act_1');
    return { outcome: 'answered', text: ANSWER, stop: 'end_turn' };
  });
  const built = await runManifestBuilder({ message: 'Who is Ann?', requestId: 'req_1' }, deps);
  expect(built?.manifest.context_early).toEqual(['x']);
  expect(built?._prompts).toMatchObject({
    template_key: 'agent.manifest-builder',
    raw_response: ANSWER,
    context_sizes: { message_chars: 11 },
    llm_call: { model: 'm', max_tokens: 700, temperature: 0, action_id: 'act_1' },
  });
  expect(built?._prompts.user_prompt).toContain('Who is Ann?');
  expect(records).toMatchObject([{ requestId: 'req_1', agentId: 'context-builder', actionId: 'act_1' }]);
});

test('the record contains the conversation only on demand', async () => {
  const quiet = scene();
  await runManifestBuilder({ message: 'secret words' }, quiet.deps);
  expect(JSON.stringify(quiet.records)).not.toContain('secret words');
  const { deps, records } = scene();
  await runManifestBuilder({ message: 'secret words' }, { ...deps, config: { promptDebug: true } });
  expect(records[0]?.steps.manifest_builder.prompt_debug).toMatchObject({
    user_prompt: expect.stringContaining('secret words'),
    raw_response: ANSWER,
  });
});

describe('a request that is skipped', () => {
  test('causes no call and no warning, and is recorded', async () => {
    vi.stubEnv('ENABLE_MANIFEST_BUILDER', 'false');
    const { deps, records, failures, calls } = scene();
    expect(await runManifestBuilder({ message: 'a', parentActionId: 'act_9' }, deps)).toBeNull();
    expect([calls, failures]).toEqual([[], []]);
    expect(records).toMatchObject([
      {
        parentActionId: 'act_9',
        steps: { manifest_builder: { enabled: false, skip_reason: 'flag_disabled', latency_ms: null } },
      },
    ]);
  });

  test('is not switched on by the code if the environment switches it off', async () => {
    vi.stubEnv('ENABLE_MANIFEST_BUILDER', '0');
    const { deps, calls } = scene();
    await runManifestBuilder({}, { ...deps, config: { enabled: true } });
    expect(calls).toEqual([]);
  });
});

describe('the end of the wait', () => {
  test('aborts the call when the time is over', async () => {
    const { deps, failures, calls } = scene(() => new Promise(() => {}));
    expect(await runManifestBuilder({}, { ...deps, config: { timeoutMs: 20 } })).toBeNull();
    expect(calls[0]?.signal.aborted).toBe(true);
    expect(failures).toMatchObject([{ code: 'TIMEOUT' }]);
  });

  test('comes when the caller gives up, even before the call is made', async () => {
    const leaving = new AbortController();
    const { deps, failures, calls } = scene(() => {
      leaving.abort();
      return new Promise(() => {});
    });
    const request = { signal: leaving.signal };
    expect(await runManifestBuilder(request, deps)).toBeNull();
    expect(calls[0]?.signal.aborted).toBe(true);
    expect(await runManifestBuilder(request, deps)).toBeNull();
    expect(calls).toHaveLength(1);
    expect(failures).toMatchObject([{ code: 'CANCELLED' }, { code: 'CANCELLED' }]);
  });

  test('is noticed even if the process was busy at this moment', async () => {
    const { deps, failures } = scene(async () => {
      const until = performance.now() + 60;
      while (performance.now() < until);
      return { outcome: 'answered', text: ANSWER };
    });
    expect(await runManifestBuilder({}, { ...deps, config: { timeoutMs: 30 } })).toBeNull();
    expect(failures).toMatchObject([{ code: 'TIMEOUT' }]);
  });

  test.each([0, -5, Number.NaN])(
    'comes after the default time if the setting is %s ms',
    async (timeoutMs) => {
      const { deps } = scene();
      expect(await runManifestBuilder({}, { ...deps, config: { timeoutMs } })).not.toBeNull();
    },
  );
});

describe('never throws', () => {
  test.each<[string, unknown]>([
    ['fields of other types', { message: 5, relationship: {}, recent: 'x', channel: 'none' }],
    ['turns that are no turns', { recent: [null, 5, {}, { role: Symbol('x'), content: 1 }] }],
    [
      'a field that throws',
      Object.defineProperty({}, 'message', {
        get() {
          throw new Error('no');
        },
      }),
    ],
    ['no request', null],
  ])('with %s', async (_, request) => {
    const { deps, records } = scene();
    // A program without types can pass any value.
    await runManifestBuilder(request as never, deps);
    expect(records).toHaveLength(1);
  });

  test('if the model throws at once, and says why', async () => {
    const { deps, failures, records } = scene(() => {
      throw new TypeError('no model');
    });
    expect(await runManifestBuilder({}, deps)).toBeNull();
    expect(failures).toMatchObject([{ code: 'INTERNAL_ERROR', detail: 'no model' }]);
    expect(records[0]?.steps.manifest_builder.error?.code).toBe('INTERNAL_ERROR');
  });

  test('if the handlers of the program throw', async () => {
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const { deps } = scene();
    const fail = () => {
      throw new Error('handler');
    };
    expect(await runManifestBuilder({}, { ...deps, record: fail, warn: fail })).not.toBeNull();
    const broken = scene(async () => ({ outcome: 'failed', status: 500 }));
    expect(await runManifestBuilder({}, { ...broken.deps, warn: fail })).toBeNull();
    expect(warned).toHaveBeenCalledTimes(2);
    warned.mockRestore();
  });
});
