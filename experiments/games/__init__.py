"""All that workers run: agents play deals, their moves are valued, and it is seen whether they play fair."""
