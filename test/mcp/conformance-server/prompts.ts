/** The prompts of the fixture. */
import { acceptedContent, completable, inputRequired, type McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { askContext, Context } from './input-requests.ts';
import { PNG } from './samples.ts';

function fromUser<Content>(content: Content) {
  return { role: 'user' as const, content };
}

function textFromUser(text: string) {
  return fromUser({ type: 'text' as const, text });
}

const PLACES = ['paris', 'park', 'party', 'test'];

export function addPrompts(server: McpServer): void {
  server.registerPrompt('test_simple_prompt', { description: 'A prompt without arguments.' }, () => ({
    messages: [textFromUser('This is a simple prompt for testing.')],
  }));
  const arg1 = completable(z.string(), (start) => PLACES.filter((place) => place.startsWith(start)));
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description: 'A prompt with arguments.', argsSchema: z.object({ arg1, arg2: z.string() }) },
    (args) => ({
      messages: [textFromUser(`Prompt with arguments: arg1='${args.arg1}', arg2='${args.arg2}'`)],
    }),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'A prompt with a resource.', argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) => ({
      messages: [
        fromUser({
          type: 'resource' as const,
          resource: {
            uri: resourceUri,
            mimeType: 'text/plain',
            text: 'Embedded resource content for testing.',
          },
        }),
        textFromUser('Please process the embedded resource above.'),
      ],
    }),
  );
  server.registerPrompt('test_prompt_with_image', { description: 'A prompt with an image.' }, () => ({
    messages: [fromUser({ type: 'image' as const, ...PNG }), textFromUser('Please analyze the image above.')],
  }));
  server.registerPrompt(
    'test_input_required_result_prompt',
    { description: 'A prompt that needs input.' },
    ({ mcpReq }) => {
      const given = acceptedContent(mcpReq.inputResponses, 'user_context', Context);
      return given === undefined
        ? inputRequired({ inputRequests: { user_context: askContext } })
        : { messages: [textFromUser(`Use this context: ${given.context}`)] };
    },
  );
}
