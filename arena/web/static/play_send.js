// Requests that change something, with the CSRF token.

const csrf = document.querySelector("meta[name=arena-csrf]").content;

/** Sends a request and returns the answer; on failure `error` says why. */
export async function send(address, content) {
  try {
    const response = await fetch(address, {
      method: "POST",
      headers: { "content-type": "application/json", "x-arena-csrf": csrf },
      body: JSON.stringify(content),
    });
    const answer = await response.json();
    return response.ok ? answer : { error: answer.error ?? "The request was refused.", status: response.status };
  } catch {
    return { error: "The server does not answer. Is it still running?" };
  }
}
