import { MandateError } from '@mandate/runtime';
import type { Action, ContextBuild } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { redactBuild } from './redact-build.ts';

const KEY = { id: 'key_1' };

function buildOf(change: Partial<ContextBuild> = {}): ContextBuild {
  return {
    ...{ id: 'ctx_1', tenant: 'acme', agentId: 'context-builder', requestId: 'r', actionId: null },
    ...{ parentActionId: null, principal: { id: 'mia' }, builtAt: '2026-01-05T09:30:53.233Z' },
    steps: {
      manifest_builder: {
        ...{
          enabled: true,
          skipped: false,
          skip_reason: null,
          template_key: 't',
          input: null,
          latency_ms: 1,
        },
        output: {
          ...{ focus: 'Mia', question_type: 'casual', context_reinforce: [], answer_guidance: ['Be kind'] },
          context_early: ['Mia is ill', '[redacted]'],
        },
        prompt_debug: { system_prompt: 's', user_prompt: 'I am ill', raw_response: null },
        error: null,
      },
    },
    ...change,
  };
}

/** Privacy that seals for every person except `gone`. Without changes, it redacts nothing. */
function privacy(change: Partial<Parameters<typeof redactBuild>[0]> = {}) {
  return {
    redact: (action: Action) => action,
    sealsPersons: () => true,
    personKeys: {
      seal: (tenant: string, person: string, text: string) =>
        person === 'gone' ? null : `${tenant}/${person}:${text.length}`,
    },
    ...change,
  };
}

const stepOf = (build: ContextBuild) => build.steps.manifest_builder;

test('seals every text for the person, and leaves texts that belong to no person', () => {
  const { output, prompt_debug } = stepOf(redactBuild(privacy(), KEY, buildOf()));
  expect(output).toEqual({
    ...{ focus: 'acme/mia:3', question_type: 'casual', context_reinforce: [] },
    context_early: ['acme/mia:10', '[redacted]'],
    answer_guidance: ['acme/mia:7'],
  });
  expect(prompt_debug).toEqual({
    ...{ system_prompt: 'acme/mia:1', user_prompt: 'acme/mia:8', raw_response: null },
  });
});

test.each<[string, Partial<Parameters<typeof redactBuild>[0]>, Partial<ContextBuild>]>([
  ['the document seals nothing', { sealsPersons: () => false }, {}],
  ['the record names no person', {}, { principal: null }],
])('changes nothing if %s', (_, change, build) => {
  expect(redactBuild(privacy(change), KEY, buildOf(build))).toEqual(buildOf(build));
});

test('erases the texts of a person whose key is gone', () => {
  const { output } = stepOf(redactBuild(privacy(), KEY, buildOf({ principal: { id: 'gone' } })));
  expect(output).toMatchObject({ focus: '[erased]', context_early: ['[erased]', '[redacted]'] });
});

test('names no erased person, and erases the texts', () => {
  const erased = () => {
    throw new MandateError('PERSON_ERASED', 'erased', { remedy: '' });
  };
  const build = redactBuild(privacy({ redact: erased }), KEY, buildOf());
  expect(build.principal).toBeNull();
  expect(stepOf(build).output).toMatchObject({ focus: '[erased]', question_type: 'casual' });
  expect(stepOf(build).prompt_debug).toMatchObject({ user_prompt: '[erased]', raw_response: null });
});

test('a build without a manifest stays without a manifest', () => {
  const given = buildOf();
  const step = { ...stepOf(given), output: null, prompt_debug: null };
  const build = redactBuild(privacy(), KEY, { ...given, steps: { manifest_builder: step } });
  expect(stepOf(build)).toEqual(step);
});

test('a key that pins a person records no other person', () => {
  const key = { ...KEY, pins: { principal: { id: 'tom' } } };
  expect(() => redactBuild(privacy(), key, buildOf())).toThrow(/principal.id/);
  const { principal } = redactBuild(privacy(), key, buildOf({ principal: null }));
  expect(principal).toEqual({ id: 'tom' });
});
