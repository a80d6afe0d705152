"""Streamlit entry: ``streamlit run tutor_app.py``. Everything else is in ``tutor.ui``."""

from tutor.ui.app import main

main()
