/** Tools that need nothing of the client: one for each type of content, and one that fails. */
import { fromJsonSchema, type McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { answer, PNG, text, WAV } from './samples.ts';

export function addContentTools(server: McpServer): void {
  server.registerTool('test_simple_text', { description: 'Returns a text.' }, () =>
    answer('This is a simple text response for testing.'),
  );
  server.registerTool('test_image_content', { description: 'Returns an image.' }, () => ({
    content: [{ type: 'image', ...PNG }],
  }));
  server.registerTool('test_audio_content', { description: 'Returns a sound.' }, () => ({
    content: [{ type: 'audio', ...WAV }],
  }));
  server.registerTool('test_embedded_resource', { description: 'Returns a resource.' }, () => ({
    content: [
      {
        type: 'resource',
        resource: {
          uri: 'test://embedded-resource',
          mimeType: 'text/plain',
          text: 'This is an embedded resource content.',
        },
      },
    ],
  }));
  server.registerTool('test_multiple_content_types', { description: 'Returns several contents.' }, () => ({
    content: [
      text('Multiple content types test:'),
      { type: 'image', ...PNG },
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: JSON.stringify({ test: 'data', value: 123 }),
        },
      },
    ],
  }));
  server.registerTool('test_error_handling', { description: 'Always fails.' }, () => {
    throw new Error('This tool intentionally returns an error for testing');
  });
  const region = z.string().meta({ 'x-mcp-header': 'Region' });
  server.registerTool(
    'test_parameter_in_header',
    { description: 'Takes a parameter that is a header too.', inputSchema: z.object({ region }) },
    (args) => answer(`The region is ${args.region}.`),
  );
  server.registerTool(
    'json_schema_2020_12_tool',
    { description: 'Has a schema with many keywords.', inputSchema: fromJsonSchema(MANY_KEYWORDS) },
    () => answer('The arguments match the schema.'),
  );
}

/** A schema with keywords that a server or a proxy may lose. */
const MANY_KEYWORDS = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};
