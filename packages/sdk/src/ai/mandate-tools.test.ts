import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { MandateDocument } from '../types.ts';
import { mandateToolApproval, mandateTools } from './index.ts';
import { MAJORS, scene } from './scene.fixture.ts';

const call = (name: string, to = 'ann', id = `call_${to}`) => ({ id, name, args: { to } });
const script = [{ toolCalls: [call('pay')] }, { text: 'Done.' }];
const DENIED: MandateDocument = { deniedTools: ['pay'] };
const DEFERRED: MandateDocument = { toolPolicies: { pay: { cost: 5, requiresConfirmation: true } } };
const inputSchema = z.object({ to: z.string() });

describe.each(MAJORS)('a tool of %s', (major, ai) => {
  const isSeven = major === 'AI SDK 7';

  async function toolScene(
    document: MandateDocument,
    replies: Parameters<typeof scene>[0]['script'] = script,
  ) {
    const ran: string[] = [];
    const given = await scene({ ai, document, script: replies });
    const pay = ai.tool({
      description: 'pays',
      inputSchema,
      execute: async ({ to }) => {
        ran.push(to);
        return `paid ${to}`;
      },
    });
    const tools = mandateTools(given.mandate, { pay });
    const stopWhen = ai.stepCountIs(3);
    const toolDecisions = () => given.decisions.filter(({ type }) => type === 'tool_call');
    return { ...given, ran, pay, tools, stopWhen, toolDecisions };
  }
  type Given = Awaited<ReturnType<typeof toolScene>>;

  const modes: Record<string, (given: Given) => Promise<unknown>> = {
    generateText: ({ model, tools, stopWhen }) => ai.generateText({ model, tools, stopWhen, prompt: 'Pay' }),
    streamText: async ({ model, tools, stopWhen }) =>
      ai.streamText({ model, tools, stopWhen, prompt: 'Pay' }).text,
    'an agent': ({ model, tools, stopWhen }) =>
      new ai.ToolLoopAgent({ model, tools, stopWhen }).generate({ prompt: 'Pay' }),
    'an agent that streams': async ({ model, tools, stopWhen }) =>
      (await new ai.ToolLoopAgent({ model, tools, stopWhen }).stream({ prompt: 'Pay' })).text,
  };

  describe.each(Object.entries(modes))('in %s', (_mode, run) => {
    test('runs once, and is charged once', async () => {
      const given = await toolScene({ toolPolicies: { pay: { cost: 5 } } });
      await run(given);
      expect(given.ran).toEqual(['ann']);
      expect(given.toolDecisions().map(({ actionId }) => actionId)).toEqual(['run-1:call_ann']);
      expect((await given.mandate.getCost()).toolMicros).toBe(5_000_000);
    });

    test('that is denied never runs, and the model reads the reason', async () => {
      const given = await toolScene(DENIED);
      await run(given);
      expect(given.ran).toEqual([]);
      expect(JSON.stringify(given.server.requests[1]?.body)).toContain('TOOL_DENIED');
    });

    test('that must be approved does not run', async () => {
      const given = await toolScene(DEFERRED);
      await run(given);
      expect(given.ran).toEqual([]);
      expect(JSON.stringify(given.server.requests[1]?.body)).toContain('APPROVAL_REQUIRED');
    });
  });

  test('that is called in parallel runs only where it is allowed', async () => {
    const calls = ['ann', 'bob', 'eve', 'joe'].map((to) => call('pay', to));
    const given = await toolScene({ maxCostTotal: 10, toolPolicies: { pay: { cost: 5 } } }, [
      { toolCalls: calls },
      { text: 'Done.' },
    ]);
    // This model is not under the mandate, so the budget is for tools only.
    const { bare, tools, stopWhen } = given;
    await ai.generateText({ model: bare, tools, stopWhen, prompt: 'Pay' });
    expect(given.ran).toHaveLength(2);
  });

  test('does not run if the decision point throws', async () => {
    const { mandate, bare } = await scene({ ai, script, decide: () => Promise.reject(new Error('broken')) });
    const ran: string[] = [];
    const pay = ai.tool({ inputSchema, execute: ({ to }) => void ran.push(to) });
    const tools = mandateTools(mandate, { pay });
    const { content } = await ai.generateText({ model: bare, tools, prompt: 'Pay' });
    expect(content).toMatchObject([{ type: 'tool-call' }, { error: { code: 'INTERNAL_ERROR' } }]);
    expect(ran).toEqual([]);
  });

  test('yields results, and is refused before the first one', async () => {
    for (const [document, expected] of [
      [{}, ['start', 'end']],
      [DENIED, []],
    ] as const) {
      const { mandate, bare } = await scene({ ai, script, document });
      const ran: string[] = [];
      const pay = ai.tool({
        inputSchema,
        async *execute() {
          for (const step of ['start', 'end']) {
            ran.push(step);
            yield step;
          }
        },
      });
      const tools = mandateTools(mandate, { pay });
      const { toolResults } = await ai.generateText({ model: bare, tools, prompt: 'Pay' });
      expect(ran).toEqual(expected);
      expect(toolResults.map(({ output }) => output)).toEqual(expected.slice(-1));
    }
  });

  test('gets the whole argument even if it is too large for a record', async () => {
    const to = 'x'.repeat(70_000);
    const { mandate, bare } = await scene({
      ai,
      script: [{ toolCalls: [call('pay', to, 'call_1')] }, { text: 'Done.' }],
    });
    const ran: string[] = [];
    const pay = ai.tool({
      inputSchema,
      async *execute({ to }) {
        ran.push(to);
        yield 'paid';
      },
    });
    await ai.generateText({ model: bare, tools: mandateTools(mandate, { pay }), prompt: 'Pay' });
    expect(ran).toEqual([to]);
  });

  test('gets a signal that aborts after a kill', async () => {
    const { mandate, bare } = await scene({ ai, script });
    let isAborted = false;
    const pay = ai.tool({
      inputSchema,
      execute: async (_input, { abortSignal }) => {
        await mandate.kill('bot', 'runaway');
        isAborted = abortSignal?.aborted === true;
      },
    });
    await ai.generateText({ model: bare, tools: mandateTools(mandate, { pay }), prompt: 'Pay' });
    expect(isAborted).toBe(true);
  });

  test('that yields results is not settled after a kill, so its reservation stays charged', async () => {
    const { mandate, bare, outcomes } = await scene({ ai, script });
    const pay = ai.tool({
      inputSchema,
      async *execute() {
        yield 'started';
        await mandate.kill('bot', 'runaway');
        yield 'paid';
      },
    });
    const tools = mandateTools(mandate, { pay });
    const { content } = await ai.generateText({ model: bare, tools, prompt: 'Pay' });
    expect(content).toMatchObject([{ type: 'tool-call' }, { error: { code: 'AGENT_KILLED' } }]);
    expect(outcomes).toEqual([]);
  });

  test('keeps everything but `execute`, and the given tools stay as they are', async () => {
    const { mandate } = await scene({ ai });
    const toModelOutput = () => ({ type: 'text' as const, value: 'x' });
    const execute = () => 'x';
    const pay = ai.tool({ inputSchema, execute, toModelOutput, needsApproval: true });
    const client = ai.tool({ inputSchema });
    const tools = mandateTools(mandate, { pay, client });
    expect(tools.client).toBe(client);
    expect({ ...tools.pay, execute }).toEqual({ ...pay });
    expect(tools.pay.execute).not.toBe(execute);
    expect(pay.execute).toBe(execute);
  });

  test('still asks the user if the tool itself needs approval', async () => {
    const { mandate, bare, decisions } = await scene({ ai, script });
    const ran: string[] = [];
    const pay = ai.tool({ inputSchema, needsApproval: true, execute: ({ to }) => void ran.push(to) });
    const tools = mandateTools(mandate, { pay });
    const toolApproval = mandateToolApproval(mandate, { tools });
    const { content } = await ai.generateText({ model: bare, tools, toolApproval, prompt: 'Pay' });
    expect(content.map(({ type }) => type)).toContain('tool-approval-request');
    expect([ran, decisions]).toEqual([[], []]);
  });

  if (!isSeven) return;

  describe('with toolApproval', () => {
    /** Runs until the model asks for the tool, answers the approval as the user, and runs again. */
    async function approved(given: Given, userSays: boolean, meanwhile: () => Promise<unknown>) {
      const { bare: model, tools, mandate, stopWhen } = given;
      const toolApproval = mandateToolApproval(mandate, { tools });
      const first = await ai.generateText({ model, tools, toolApproval, stopWhen, prompt: 'Pay' });
      const request = first.content.find(({ type }) => type === 'tool-approval-request');
      if (request?.type !== 'tool-approval-request') throw new Error('nothing was asked');
      await meanwhile();
      const messages = [
        { role: 'user' as const, content: 'Pay' },
        ...first.response.messages,
        {
          role: 'tool' as const,
          content: [
            { type: 'tool-approval-response' as const, approvalId: request.approvalId, approved: userSays },
          ],
        },
      ];
      await ai.generateText({ model, tools, toolApproval, stopWhen, messages });
      return request;
    }

    test('is denied as the framework denies tools, with one decision', async () => {
      const given = await toolScene(DENIED);
      const { bare, tools, mandate, stopWhen } = given;
      const toolApproval = mandateToolApproval(mandate, { tools, also: () => 'approved' });
      await ai.generateText({ model: bare, tools, toolApproval, stopWhen, prompt: 'Pay' });
      expect([given.ran, given.toolDecisions().length]).toEqual([[], 1]);
      expect(JSON.stringify(given.server.requests[1]?.body)).toContain('TOOL_DENIED');
    });

    test('runs with the decision of its approval', async () => {
      const given = await toolScene({ toolPolicies: { pay: { cost: 5 } } });
      const { bare, tools, mandate } = given;
      const toolApproval = mandateToolApproval(mandate, { tools });
      await ai.generateText({ model: bare, tools, toolApproval, prompt: 'Pay' });
      expect([given.ran, given.toolDecisions().length]).toEqual([['ann'], 1]);
    });

    test('that a person approved at the plane runs once, and is charged once', async () => {
      const given = await toolScene(DEFERRED);
      await approved(given, true, () => given.state.grant());
      expect(given.ran).toEqual(['ann']);
      expect((await given.mandate.getCost()).toolMicros).toBe(5_000_000);
    });

    test('that only the user approved does not run', async () => {
      const given = await toolScene(DEFERRED);
      await approved(given, true, async () => {});
      expect(given.ran).toEqual([]);
      expect(JSON.stringify(given.server.requests[1]?.body)).toContain('APPROVAL_REQUIRED');
    });

    test('that the user refused does not run', async () => {
      const given = await toolScene(DEFERRED);
      await approved(given, false, () => given.state.grant());
      expect(given.ran).toEqual([]);
    });

    test('is denied if it is not wrapped, or if the function of the app says so', async () => {
      const given = await toolScene({});
      const { bare, pay, tools, mandate, toolDecisions } = given;
      const unwrapped = mandateToolApproval(mandate, { tools: { pay } });
      await ai.generateText({ model: bare, tools: { pay }, toolApproval: unwrapped, prompt: 'Pay' });
      given.server.script(script);
      const toolApproval = mandateToolApproval(mandate, { tools, also: { pay: 'denied' } });
      await ai.generateText({ model: bare, tools, toolApproval, prompt: 'Pay' });
      expect([given.ran, toolDecisions()]).toEqual([[], []]);
    });
  });
});
