/**
 * Tools of the newer era that need input: the first call returns what they need, and the client calls again with the
 * answers. The state between two calls is signed.
 */
import {
  acceptedContent,
  inputRequired,
  inputResponse,
  type McpServer,
  type RequestStateCodec,
} from '@modelcontextprotocol/server';
import {
  askColor,
  askConfirmation,
  askModel,
  askName,
  askRoots,
  Color,
  Confirmation,
  Name,
} from './input-requests.ts';
import { answer } from './samples.ts';

export type State = { round: number; name?: string };

export function addInputRequiredTools(server: McpServer, states: RequestStateCodec<State>): void {
  const description = 'Needs input of the client.';
  server.registerTool('test_input_required_result_elicitation', { description }, ({ mcpReq }) => {
    const person = acceptedContent(mcpReq.inputResponses, 'user_name', Name);
    return person === undefined
      ? inputRequired({ inputRequests: { user_name: askName } })
      : answer(`Hello, ${person.name}!`);
  });
  server.registerTool('test_input_required_result_sampling', { description }, ({ mcpReq }) => {
    const reply = inputResponse(mcpReq.inputResponses, 'capital_question');
    return reply.kind === 'sampling'
      ? answer(JSON.stringify(reply.result.content))
      : inputRequired({ inputRequests: { capital_question: askModel('What is the capital of France?') } });
  });
  server.registerTool('test_input_required_result_list_roots', { description }, ({ mcpReq }) => {
    const reply = inputResponse(mcpReq.inputResponses, 'client_roots');
    return reply.kind === 'roots'
      ? answer(`Roots: ${reply.roots.map(({ uri }) => uri).join(', ')}`)
      : inputRequired({ inputRequests: { client_roots: askRoots } });
  });
  for (const name of [
    'test_input_required_result_request_state',
    'test_input_required_result_tampered_state',
  ]) {
    server.registerTool(name, { description }, async ({ mcpReq }) => {
      const isConfirmed = acceptedContent(mcpReq.inputResponses, 'confirm', Confirmation)?.ok === true;
      if (isConfirmed && mcpReq.requestState<State>()?.round === 1) return answer('state-ok');
      return inputRequired({
        inputRequests: { confirm: askConfirmation },
        requestState: await states.mint({ round: 1 }),
      });
    });
  }
  server.registerTool('test_input_required_result_multiple_inputs', { description }, async ({ mcpReq }) => {
    const { inputResponses } = mcpReq;
    const person = acceptedContent(inputResponses, 'user_name', Name);
    const greeting = inputResponse(inputResponses, 'greeting');
    const roots = inputResponse(inputResponses, 'client_roots');
    if (person !== undefined && greeting.kind === 'sampling' && roots.kind === 'roots') {
      return answer(`${person.name} has ${roots.roots.length} roots.`);
    }
    return inputRequired({
      inputRequests: {
        user_name: askName,
        greeting: askModel('Generate a greeting'),
        client_roots: askRoots,
      },
      requestState: await states.mint({ round: 1 }),
    });
  });
  server.registerTool('test_input_required_result_multi_round', { description }, async ({ mcpReq }) => {
    const state = mcpReq.requestState<State>();
    const color = acceptedContent(mcpReq.inputResponses, 'step2', Color);
    if (state?.round === 2 && color !== undefined) return answer(`${state.name} likes ${color.color}.`);
    const person = acceptedContent(mcpReq.inputResponses, 'step1', Name);
    if (state?.round === 1 && person !== undefined) {
      return inputRequired({
        inputRequests: { step2: askColor },
        requestState: await states.mint({ round: 2, name: person.name }),
      });
    }
    return inputRequired({
      inputRequests: { step1: askName },
      requestState: await states.mint({ round: 1 }),
    });
  });
}
