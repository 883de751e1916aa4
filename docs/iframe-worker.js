// Browsers start no Worker for a page that was opened from the file system. There, what the search asks of one is done by
// a hidden frame; it runs the same script, and messages pass both ways as they would.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.answer = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      this.frame.srcdoc = `<script>window.postMessage = frameElement.answer</script><script src="${url}"></script>`;
      this.ready = new Promise((done) => this.frame.addEventListener("load", done));
      document.body.append(this.frame);
    }

    postMessage(data) {
      this.ready.then(() => this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data })));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
