/**
 * Folders with system files, and files with secrets of users, in lower case, with `/` between names. Sources:
 * Filesystem Hierarchy Standard 3.0; Apple, "File System Programming Guide"; Microsoft, "Known folders" and
 * "Credentials processes in Windows"; and for each tool the page of its manual on configuration, as of November 2026.
 */

/** Folders from the root of a Unix system. Everything in these folders is refused. */
export const UNIX_FOLDERS: readonly string[] = [
  'boot',
  'dev',
  'etc',
  'proc',
  'root',
  'sys',
  // Folders with sockets and secrets of running services
  'run/containerd',
  'run/credentials',
  'run/crio',
  'run/docker.sock',
  'run/podman',
  'run/secrets',
  'run/systemd',
  'run/user',
  'usr/local/etc',
  'var/run',
  // Folders with data of services
  'var/backups',
  'var/lib/cloud',
  'var/lib/containerd',
  'var/lib/docker',
  'var/lib/etcd',
  'var/lib/kubelet',
  'var/lib/rancher',
  'var/lib/sss',
  'var/mail',
  'var/spool/at',
  'var/spool/cron',
  'var/spool/mail',
  // Folders of macOS
  'library/keychains',
  'private/etc',
  'private/var/backups',
  'private/var/db',
  'private/var/root',
  'private/var/run',
  'system/library',
  'var/db',
  'var/root',
];

/** Devices that contain no data. Programs and shells use them all the time. */
export const HARMLESS_DEVICES: readonly string[] = [
  'full',
  'null',
  'random',
  'stderr',
  'stdin',
  'stdout',
  'tty',
  'urandom',
  'zero',
];

/** Folders from a drive of Windows. Everything in these folders is refused. */
export const WINDOWS_FOLDERS: readonly string[] = [
  '$recycle.bin',
  'programdata/docker',
  'programdata/microsoft/crypto',
  'programdata/ssh',
  'system volume information',
  'windows',
  'winnt',
];

/**
 * Names that are refused at any place in a path: folders with secrets, files with secrets, and files that shells run.
 */
export const SECRET_NAMES: readonly string[] = [
  // Keys: OpenSSH, GnuPG, PuTTY
  '.gnupg',
  '.ssh',
  'id_dsa',
  'id_ecdsa',
  'id_ecdsa_sk',
  'id_ed25519',
  'id_ed25519_sk',
  'id_rsa',
  'id_xmss',
  // Clouds: AWS, Azure, Google, Oracle, IBM, DigitalOcean, boto, s3cmd
  '.aws',
  '.azure',
  '.bluemix',
  '.boto',
  '.oci',
  '.s3cfg',
  'access_tokens.db',
  'application_default_credentials.json',
  // Containers and infrastructure: Docker, Kubernetes, Terraform, Vault, Ansible
  '.docker',
  '.dockercfg',
  '.kube',
  '.terraform.d',
  '.terraformrc',
  '.vault-token',
  '.vault_pass',
  '.minikube',
  'terraform.tfstate',
  'terraform.tfstate.backup',
  'containerd.sock',
  'cri-dockerd.sock',
  'crio.sock',
  'docker.sock',
  'podman.sock',
  // Packages: npm, Yarn, PyPI, Conda
  '.condarc',
  '.npmrc',
  '.pypirc',
  '.yarnrc.yml',
  // Hosts and databases: curl, wget, Git, PostgreSQL, MySQL, Snowflake, Databricks, Sentry, Apache, X11
  '.curlrc',
  '.htpasswd',
  '.sentryclirc',
  '.wgetrc',
  '.xauthority',
  '.databrickscfg',
  '.git-credentials',
  '.my.cnf',
  '.mylogin.cnf',
  '.netrc',
  '.pgpass',
  '.snowsql',
  '_netrc',
  // Wallets, certificates of NSS, and the password store `pass`
  '.password-store',
  '.pki',
  '.bitcoin',
  '.electrum',
  '.ethereum',
  // Profiles of browsers
  '.mozilla',
  '.thunderbird',
  // Histories of typed commands
  '.ash_history',
  '.bash_history',
  '.histfile',
  '.irb_history',
  '.mysql_history',
  '.node_repl_history',
  '.psql_history',
  '.python_history',
  '.rediscli_history',
  '.sh_history',
  '.sqlite_history',
  '.zsh_history',
  'consolehost_history.txt',
  'fish_history',
  // Files that shells run when they start
  '.bash_login',
  '.bash_logout',
  '.bash_profile',
  '.bashrc',
  '.kshrc',
  '.zlogin',
  '.zlogout',
  '.zprofile',
  '.zshenv',
  '.zshrc',
  // Settings with secrets, like the files named `.env`
  '.env',
  '.envrc',
  // Files with password hashes. Windows also has them under backup names.
  'ntds.dit',
  'ntuser.dat',
];

/**
 * Endings of `.env` files that are made to be shared. Other files such as `.env.local` and `.env.production` contain
 * secrets.
 */
export const SHARED_ENV_FILES: readonly string[] = [
  'dist',
  'example',
  'sample',
  'schema',
  'template',
  'test',
];

/**
 * Sequences of names that are refused at any place in a path. A variable counts as a folder with its name:
 * `%appdata%` as `appdata`.
 */
export const SECRET_SEQUENCES: readonly string[] = [
  // GitHub, GitLab, Google Cloud, Git, Subversion, Helm, Podman, rclone, SOPS, 1Password, Bitwarden, DigitalOcean, Stripe
  '.config/glab-cli',
  '.config/sops',
  '.config/solana',
  '.config/1password',
  '.config/bitwarden',
  '.config/netlify',
  '.config/.wrangler',
  '.git/config',
  '.git/hooks',
  '.subversion/auth',
  // Hosting: Vercel, Fly, Railway, Cloudflare, CircleCI; Hugging Face
  '.local/share/com.vercel.cli',
  '.vercel/auth.json',
  '.fly/config.yml',
  '.railway/config.json',
  '.wrangler/config',
  '.circleci/cli.yml',
  '.config/gh',
  '.config/gcloud',
  '.config/git/credentials',
  '.config/hub',
  '.config/helm',
  '.config/containers/auth.json',
  '.config/rclone',
  '.config/op',
  '.config/doctl',
  '.config/stripe',
  '.config/configstore',
  '.cache/huggingface/token',
  'xdg_config_home/gh',
  'xdg_config_home/gcloud',
  'xdg_config_home/git/credentials',
  'gcloud/legacy_credentials',
  'appdata/gcloud',
  'appdata/roaming/gcloud',
  'appdata/github cli',
  'appdata/roaming/github cli',
  'appdata/gnupg',
  'appdata/roaming/gnupg',
  'appdata/roaming/postgresql/pgpass.conf',
  'appdata/postgresql/pgpass.conf',
  // Credentials of package managers
  '.cargo/credentials',
  '.cargo/credentials.toml',
  '.bundle/config',
  '.config/pip',
  '.pip/pip.conf',
  '.composer/auth.json',
  '.config/composer/auth.json',
  '.gem/credentials',
  '.gradle/gradle.properties',
  '.m2/settings.xml',
  '.m2/settings-security.xml',
  '.nuget/nuget.config',
  // Credentials of agents
  '.claude/.credentials.json',
  '.codex/auth.json',
  '.gemini/oauth_creds.json',
  '.config/github-copilot',
  '.kaggle/kaggle.json',
  // Passwords, browsers and mail on Linux
  '.local/share/keyrings',
  '.local/share/kwalletd',
  '.local/share/atuin',
  '.config/slack',
  '.config/code/user/globalstorage',
  // Files that sessions run when they start
  '.config/autostart',
  '.config/systemd',
  '.config/google-chrome',
  '.config/chromium',
  '.config/bravesoftware',
  '.config/microsoft-edge',
  '.config/opera',
  // Secrets on macOS
  'library/keychains',
  'library/cookies',
  'library/messages',
  'library/launchagents',
  'library/launchdaemons',
  'library/application support/code/user/globalstorage',
  'library/application support/slack',
  'library/application support/com.apple.tcc',
  'library/application support/google/chrome',
  'library/application support/firefox',
  'library/application support/bravesoftware',
  'library/application support/microsoft edge',
  'library/application support/1password',
  'library/group containers/2bua8c4s2c.com.1password',
  // Secrets on Windows
  'microsoft/credentials',
  'microsoft/protect',
  'microsoft/vault',
  'google/chrome/user data',
  'microsoft/edge/user data',
  'bravesoftware/brave-browser/user data',
  'mozilla/firefox/profiles',
  'microsoft/windows/start menu/programs/startup',
  'code/user/globalstorage',
  'system32/config',
];
