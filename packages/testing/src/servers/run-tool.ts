import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { MissingServerError } from './missing-server.ts';

/** Runs a tool of the machine until it ends. Returns its output. If the tool fails, the error contains its output. */
export async function runTool(
  command: string,
  args: readonly string[],
  options: { orInstall: string; env?: Readonly<Record<string, string>> },
): Promise<string> {
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...options.env },
  });
  const ended = new Promise<number | null>((resolve, reject) =>
    child.on('error', reject).on('close', resolve),
  );
  const [code, output, errors] = await Promise.all([ended, text(child.stdout), text(child.stderr)]).catch(
    (cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'ENOENT') throw cause;
      throw new MissingServerError(`there is no ${command} here: ${options.orInstall}`, { cause });
    },
  );
  if (code === 0) return output;
  const said = `${output}\n${errors}`.trim().slice(-2_000);
  throw new MissingServerError(
    `${command} ${args[0]} ended with ${code}: ${options.orInstall}. It said:\n${said}`,
  );
}
