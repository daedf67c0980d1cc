import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { serviceConfig } from './service-config.ts';

const schema = z.object({
  GATEWAY_PORT: z.int().max(65_535).default(80).describe('where it listens'),
  GATEWAY_TOKEN: z.string().min(8).meta({ secret: true }).describe('what it shows to its peer'),
});

class Left extends Error {}

/**
 * Returns a fake process that records every call. `exit` ends the call by throwing, because a real process would end.
 */
function run(args: readonly string[], env: Record<string, string>) {
  const seen = { out: '', errors: '', code: null as number | null, folder: 'here', config: {} };
  try {
    seen.config = serviceConfig(
      {
        argv: ['node', 'main.ts', ...args],
        env,
        stdout: { write: (text: string) => (seen.out += text) },
        stderr: { write: (text: string) => (seen.errors += text) },
        chdir: (folder) => {
          seen.folder = folder;
        },
        exit: (code) => {
          seen.code = code;
          throw new Left();
        },
      },
      { service: 'gateway', about: 'HTTP in', schema },
    );
  } catch (error) {
    if (!(error instanceof Left)) throw error;
  }
  return seen;
}

describe('serviceConfig', () => {
  test('returns the settings', () => {
    const { config, code, errors } = run([], { MANDATE_GATEWAY_TOKEN: 'long enough' });
    expect({ config: { ...config }, code, errors }).toEqual({
      config: { GATEWAY_PORT: 80, GATEWAY_TOKEN: 'long enough' },
      code: null,
      errors: '',
    });
  });

  test.each(['--help', '-h'])('%s prints every setting and needs none', (flag) => {
    const { out, code } = run([flag], { MANDATE_GATEWAY_PORT: 'wrong' });
    expect(code).toBe(0);
    expect(out).toContain('Mandate gateway. HTTP in');
    expect(out).toContain('MANDATE_GATEWAY_PORT\n      where it listens (an integer');
    expect(out).toContain('; default 80)');
    expect(out).toContain('MANDATE_GATEWAY_TOKEN\n      what it shows to its peer (text; secret; required)');
  });

  test('prints every fault with its remedy, and exits with 2', () => {
    const { errors, code } = run([], { MANDATE_GATEWAY_PORT: '70000', MANDATE_GATEWAY_PROT: '1' });
    expect(code).toBe(2);
    expect(errors).toContain('gateway did not start');
    expect(errors).toContain('MANDATE_GATEWAY_PROT: no such setting; did you mean MANDATE_GATEWAY_PORT');
    expect(errors).toContain('(found "70000")');
    expect(errors).toContain('MANDATE_GATEWAY_TOKEN: is not set');
    expect(errors).toContain('Correct these environment variables');
  });

  test('refuses arguments, because it reads only the environment', () => {
    const { errors, code } = run(['--port', '81'], { MANDATE_GATEWAY_TOKEN: 'long enough' });
    expect({ code, errors }).toEqual({ code: 2, errors: expect.stringContaining('--port 81') });
  });

  test('accepts settings of other processes in its environment, but no unknown settings', () => {
    const own = { MANDATE_GATEWAY_TOKEN: 'long enough' };
    const others = {
      MANDATE_DECIDER_PORT: '1',
      MANDATE_URL: 'http://x',
      MANDATE_QUERY_URL: 'http://y',
      MANDATE_ALERTER_URL: 'http://z',
      MANDATE_API_KEY: 'k',
      MANDATE_RUNNER_PORT: '2',
      MANDATE_RUNNER_URL: 'http://w',
    };
    expect(run([], { ...own, ...others }).code).toBe(null);
    expect(run([], { ...own, MANDATE_URLS: 'http://x' }).code).toBe(2);
  });

  test('resolves relative paths from the folder in which npm was called', () => {
    expect(run([], { MANDATE_GATEWAY_TOKEN: 'long enough' }).folder).toBe('here');
    expect(run([], { MANDATE_GATEWAY_TOKEN: 'long enough', INIT_CWD: '/there' }).folder).toBe('/there');
  });
});
