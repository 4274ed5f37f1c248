import { commands, window, workspace, type ExtensionContext } from "vscode";
import { LanguageClient, type DocumentSelector } from "vscode-languageclient/node";

const languages = ["markdown", "myst", "quarto", "rmd", "mdx", "restructuredtext", "python", "plaintext", "bibtex"];
// Files and untitled documents, but not the two sides of a difference.
const documents: DocumentSelector = [
  ...languages.flatMap((language) => ["file", "untitled"].map((scheme) => ({ language, scheme }))),
  { scheme: "file", pattern: "**/*.cff" },
  { notebook: "jupyter-notebook", language: "markdown" },
];
const install = 'pip install "sphinxcontrib-handle[editor]"';

let client: LanguageClient | undefined;

async function start(): Promise<void> {
  const setting = workspace.getConfiguration("handle").get<string[]>("server", []);
  const [command = "hdl", ...args] = setting;
  const server = { command, args };
  const pull = { onChange: true, onTabs: true };
  client = new LanguageClient("handle", "Handles and DOIs", server, {
    documentSelector: documents,
    diagnosticPullOptions: pull,
  });
  try {
    await client.start();
  } catch {
    client = undefined;
    const words = [command, ...args].join(" ");
    await window.showErrorMessage(`"${words}" does not start. Install it with ${install}, or set handle.server.`);
  }
}

async function stop(): Promise<void> {
  const running = client;
  client = undefined;
  await running?.stop();
}

async function restart(): Promise<void> {
  await stop();
  await start();
}

export async function activate(context: ExtensionContext): Promise<void> {
  context.subscriptions.push(
    commands.registerCommand("handle.restart", restart),
    workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("handle.server")) {
        void restart();
      }
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await stop();
}
