/** The menu «Copy as»: the link of a view, and commands that show the same data in a terminal and with curl. */
import { Menu } from '@base-ui/react/menu';
import { Copy } from 'lucide-react';
import { useState } from 'react';
import { quoted } from '../data/command.ts';
import styles from './parts.module.css';

export type SameView = {
  /** The command that prints the same data, such as `mandate decisions --agent x`. Absent if there is none. */
  cli?: string;
  /** The route that returns the data of the view, with its parameters. */
  path?: string;
};

export function CopyAs({ cli, path }: SameView) {
  const [done, setDone] = useState('');
  const copy = (what: string, text: string) => () => {
    void navigator.clipboard.writeText(text).then(
      () => setDone(`Copied the ${what}.`),
      () => setDone('The browser did not allow it.'),
    );
  };
  return (
    <>
      <Menu.Root modal={false}>
        <Menu.Trigger>
          <Copy size={14} aria-hidden="true" /> Copy as
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner sideOffset={4} align="end">
            <Menu.Popup className={styles.popup}>
              <Menu.Item className={styles.item} onClick={copy('link', location.href)}>
                Link
              </Menu.Item>
              {cli !== undefined && (
                <Menu.Item className={styles.item} onClick={copy('command', cli)}>
                  <code>{cli}</code>
                </Menu.Item>
              )}
              {path !== undefined && (
                <Menu.Item className={styles.item} onClick={copy('curl command', curl(path))}>
                  curl
                </Menu.Item>
              )}
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      <span role="status" className="quiet">
        {done}
      </span>
    </>
  );
}

function curl(path: string): string {
  return `curl -H "authorization: Bearer $MANDATE_API_KEY" ${quoted(new URL(path, location.href).href)}`;
}
