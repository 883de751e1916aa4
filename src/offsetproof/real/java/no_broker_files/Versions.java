package offsetproof;

/** A release whose broker is not published has no versions. */
final class Versions {
  static final boolean TAKES_SLAVES_TABLE = false;

  private Versions() {}
}
