/** Tests arguments that are too large for a record. */
import { expect, test } from 'vitest';
import { type AgentUnder, codeOf, counting } from './scene.ts';

export function largeArguments(agentUnder: AgentUnder): void {
  const text = 'a line of text\n'.repeat(80_000);

  test('a tool gets a text of one megabyte, and the decision contains only the digest of the text', async () => {
    const { mandate, agentId } = await agentUnder({ allowedTools: ['write_file'] });
    const args = { path: '/tmp/a', content: text };
    const tools = mandate.createExecutor({ agentId });
    expect(await tools.run('write_file', args, ({ content }) => content.length)).toBe(text.length);
    const agent = mandate.agent({ agentId });
    const running = await agent.start({ type: 'tool_call', tool: 'write_file', args });
    expect(running.args).toEqual(args);
    expect(running.decision.action).toMatchObject({
      args: { path: '/tmp/a', content: { $digested: { type: 'string', length: text.length } } },
    });
    await running.settle({ status: 'success' });
  });

  test('a rule that must read the text refuses it', async () => {
    const validation = { argumentValidation: { validators: ['noSystemPaths'] } };
    const { tools } = await agentUnder({ toolPolicies: { write_file: validation } });
    const { runs, pay } = counting();
    const run = (content: string) => codeOf(tools.run('write_file', { content }, pay));
    expect([await run(text), await run('short'), runs()]).toEqual(['ARGUMENT_VALIDATION_FAILED', 'ran', 1]);
  });
}
