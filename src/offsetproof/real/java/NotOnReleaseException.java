package offsetproof;

/** The rig cannot do this on the release that it is compiled for; the message says what, and why. */
final class NotOnReleaseException extends Exception {
  private static final long serialVersionUID = 1;

  NotOnReleaseException(String message) {
    super(message);
  }
}
