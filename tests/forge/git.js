// Git over HTTP by git's own backend, below /git/OWNER/NAME.git, where the owner may have slashes: what is pushed there
// moves the branches of the forge, and with them the heads of open pull requests.
import { execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

const PATH = /^\/git\/(.+)\/([^/]+)\.git\/(.+)$/;

export class GitHost {
  #root;

  /** Keeps the repositories below a folder. */
  constructor(root) {
    this.#root = root;
  }

  /** Whether a path is one of git's. */
  static takes(path) {
    return PATH.test(path);
  }

  /** The folder of a repository, made when it is first asked for. */
  folder({ owner, name }) {
    const folder = join(this.#root, owner, `${name}.git`);
    if (!existsSync(folder)) {
      execFileSync("git", ["init", "-q", "--bare", folder]);
      execFileSync("git", ["-C", folder, "config", "http.receivepack", "true"]);
    }
    return folder;
  }

  /** Answers a request of git, and moves what it pushed. */
  async serve(world, request, response, url) {
    const [, owner, name, rest] = PATH.exec(url.pathname);
    const repository = world.named(owner, name);
    if (!repository) {
      response.writeHead(404).end();
      return;
    }
    const folder = this.folder(repository);
    const backend = spawn("git", ["http-backend"], {
      env: {
        PATH: process.env.PATH,
        GIT_PROJECT_ROOT: folder,
        GIT_HTTP_EXPORT_ALL: "1",
        PATH_INFO: `/${rest}`,
        REQUEST_METHOD: request.method,
        QUERY_STRING: url.search.slice(1),
        CONTENT_TYPE: request.headers["content-type"] ?? "",
        HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
        GIT_PROTOCOL: request.headers["git-protocol"] ?? "",
        REMOTE_USER: world.viewer,
      },
    });
    request.pipe(backend.stdin);
    const parts = [];
    for await (const part of backend.stdout) parts.push(part);
    const answer = Buffer.concat(parts);
    const end = answer.indexOf("\r\n\r\n");
    const headers = Object.fromEntries(
      answer
        .subarray(0, end)
        .toString()
        .split("\r\n")
        .map((line) => line.split(/:\s*/, 2)),
    );
    const { Status: status = "200", ...others } = headers;
    if (rest === "git-receive-pack") move(world, repository, folder);
    response.writeHead(Number.parseInt(status), others).end(answer.subarray(end + 4));
  }
}

/** Takes over the branches of the folder. */
function move(world, repository, folder) {
  const format = "--format=%(refname:lstrip=2) %(objectname)";
  const refs = execFileSync("git", ["-C", folder, "for-each-ref", format, "refs/heads"]).toString();
  for (const line of refs.trim().split("\n").filter(Boolean)) {
    const [name, oid] = line.split(" ");
    const branch = repository.branches.get(name) ?? { contexts: [], rules: [] };
    repository.branches.set(name, { ...branch, oid });
    for (const pull of repository.pulls) {
      const { head, state } = pull;
      const isAhead = head.repository === repository && head.branch === name && head.oid !== oid;
      if (state === "OPEN" && isAhead) world.push(pull, oid);
    }
  }
}
