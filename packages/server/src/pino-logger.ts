/**
 * The logger of a process. It writes JSON lines to stderr, because stdout is for results. Two filters keep secrets
 * out: fields that usually contain a secret are censored by name, and any text in the form of an API key is censored,
 * even in a message or a stack.
 */

import type { Logger, LogLevel } from '@mandate/runtime';
import { type DestinationStream, destination as fileDescriptor, pino, stdTimeFunctions } from 'pino';
import { API_KEY_PATTERN } from './api-keys/key-format.ts';

const SECRET_FIELDS = [
  'apiKey',
  'authorization',
  'cookie',
  'key',
  'password',
  'secret',
  'token',
  '["proxy-authorization"]',
  '["x-api-key"]',
];

/** The paths have three levels, like the headers of a logged request. Log lines contain no deeper objects. */
const SECRET_PATHS = SECRET_FIELDS.flatMap((field) => {
  const below = (path: string) => (field.startsWith('[') ? `${path}${field}` : `${path}.${field}`);
  return [field, below('*'), below('*.*')];
});

/**
 * @param name the name of the service, in every line
 * @param destination where lines are written; default: stderr, without a buffer, so that a crash loses no line
 */
export function createLogger(options: {
  name: string;
  level?: LogLevel;
  destination?: DestinationStream;
}): Logger {
  return pino(
    {
      level: options.level ?? 'info',
      base: { service: options.name },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: SECRET_PATHS, censor: '[secret]' },
      hooks: { streamWrite: (line) => line.replace(API_KEY_PATTERN, 'sk-mdt_[secret]') },
    },
    options.destination ?? fileDescriptor({ dest: 2, sync: true }),
  );
}
