/**
 * Settings come from the environment. A main.ts reads them once, and they never change afterwards.
 *
 * A service describes its settings with one zod object. Its keys are `<AREA>_<NAME>_<UNIT>`; the names in the
 * environment have `MANDATE_` before them. An unknown name with this prefix is an error, because a misspelt limit
 * must not silently become the default. All faults are reported at once, each with its remedy.
 */
import { nearestName } from '@mandate/schemas/core';
import type { z } from 'zod';
import { MandateError } from '../errors.ts';
import { CONFIG_PREFIX } from './config-prefix.ts';
import { readSetting } from './read-setting.ts';
import { type SettingShape, settingShapes } from './setting-shape.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * @param schema a zod object; numbers, booleans and lists (comma-separated) are read from text; a key marked `.meta({
 *   secret: true })` is never printed, neither in errors nor when the result is logged
 * @param env usually `process.env`, passed by a main.ts
 * @param otherAreas areas of other processes that may share this environment, for instance `['QUERY']`. The other
 *   processes check names that begin with these areas
 * @returns the parsed values under the schema's keys, deeply frozen
 * @throws MandateError CONFIG_INVALID with a line for every fault
 */
export function loadConfig<S extends z.ZodObject>(
  schema: S,
  env: Environment,
  options: { otherAreas?: readonly string[] } = {},
): Readonly<z.output<S>> {
  const shapes = settingShapes(schema);
  const faults = unknownNames(env, shapes, options.otherAreas ?? []);
  const input: Record<string, unknown> = {};
  for (const shape of shapes.values()) {
    const text = env[CONFIG_PREFIX + shape.key];
    if (text === undefined) continue;
    const setting = readSetting(shape, text);
    if (setting.ok) input[shape.key] = setting.value;
    else faults.push(fault(shape, setting.fault, text));
  }

  const parsed = schema.safeParse(input);
  const unread = new Set(faults.map((line) => line.split(':', 1)[0]));
  for (const issue of parsed.error?.issues ?? []) {
    const shape = shapes.get(String(issue.path[0]));
    const name = shape === undefined ? 'configuration' : CONFIG_PREFIX + shape.key;
    if (unread.has(name)) continue;
    const text = env[name];
    if (shape === undefined) faults.push(`${name}: ${issue.message}`);
    // For a missing setting, the message `is not set` replaces zod's message, but not the message of a rule of the
    // schema.
    else if (text === undefined)
      faults.push(fault(shape, issue.code === 'custom' ? issue.message : 'is not set'));
    else faults.push(fault(shape, issue.message, text));
  }

  if (parsed.success && faults.length === 0) {
    return masked(deepFreeze(parsed.data), shapes);
  }
  throw new MandateError('CONFIG_INVALID', `the configuration has faults:\n  ${faults.join('\n  ')}`, {
    remedy: 'Correct these environment variables and start again.',
  });
}

function unknownNames(env: Environment, shapes: Map<string, SettingShape>, otherAreas: readonly string[]) {
  const known = [...shapes.keys()].map((key) => CONFIG_PREFIX + key);
  return Object.keys(env)
    .filter((name) => name.startsWith(CONFIG_PREFIX) && !known.includes(name))
    .filter((name) => !otherAreas.some((area) => `${name}_`.startsWith(`${CONFIG_PREFIX}${area}_`)))
    .map((name) => {
      const nearest = nearestName(name, known);
      const advice = nearest === undefined ? 'remove it' : `did you mean ${nearest}? Otherwise remove it`;
      return `${name}: no such setting; ${advice}`;
    });
}

/** Returns one line: the variable, its value (except a secret), the fault, and a correct value. */
function fault(shape: SettingShape, message: string, text?: string): string {
  const found = text === undefined ? '' : ` (found ${shape.secret ? 'a secret' : JSON.stringify(text)})`;
  const said = shape.secret && text ? message.replaceAll(text, '[secret]') : message;
  const about = shape.description === '' ? '' : `: ${shape.description}`;
  return `${CONFIG_PREFIX}${shape.key}: ${said}${found}; set it to ${shape.type}${about}`;
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}

/** Returns the same values, but secrets print as `[secret]` in JSON, in a log and on a console. */
function masked<T extends object>(config: T, shapes: Map<string, SettingShape>): T {
  const printable = () =>
    Object.fromEntries(
      Object.entries(config).map(([key, value]) => [
        key,
        shapes.get(key)?.secret && value !== undefined ? '[secret]' : value,
      ]),
    );
  return Object.freeze(
    Object.defineProperties(
      { ...config },
      {
        toJSON: { value: printable },
        [Symbol.for('nodejs.util.inspect.custom')]: { value: printable },
      },
    ),
  );
}
